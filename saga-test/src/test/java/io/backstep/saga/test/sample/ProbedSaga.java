package io.backstep.saga.test.sample;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.test.Effects;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A saga that asks: a payment that may be found, and a pivot that can be closed. */
final class ProbedSaga {
    static final SagaType<String> TYPE = SagaType.named("probed", String.class);
    static final Step<String> PAY = Step.named("pay", String.class);

    private ProbedSaga() {}

    /** Its participants, as they should be. */
    static class Shop {
        final Effects effects;
        final Set<String> done = new HashSet<>();
        final Set<String> refunded = new HashSet<>();
        final Map<String, Long> closed = new HashMap<>();

        Shop(Effects effects) {
            this.effects = effects;
        }

        /** Once, and neither what was refunded before it arrived, nor what was closed: but a call of a later epoch is a new one. */
        void once(String key, long epoch) {
            if (refunded.contains(key) || epoch < closed.getOrDefault(key, 0L)) {
                throw new IllegalStateException("too late: " + key);
            }
            if (done.add(key)) {
                effects.applied(key);
            }
        }

        void refund(String key) {
            if (refunded.add(key) && done.contains(key)) {
                effects.undone(key);
            }
        }

        Optional<String> find(String key) {
            return Optional.of(key).filter(done::contains);
        }

        /** What has not arrived by now is refused when it comes. */
        Probe<Void> close(String key, long epoch) {
            closed.merge(key, epoch, Math::max);
            return done.contains(key) ? Probe.tookEffect() : Probe.didNot();
        }
    }

    static SagaDefinition<String> definition(Shop shop) {
        return Saga.define(TYPE)
                .step(PAY)
                .action(c -> {
                    shop.once(c.idempotencyKey(), c.epoch());
                    return c.idempotencyKey();
                })
                .probe(c -> shop.find(c.idempotencyKey()))
                .compensate((c, payment) -> shop.refund(c.idempotencyKey()))
                .retry(Retry.fixed(Duration.ofSeconds(2)).maxAttempts(3))
                .pivot("hand-over")
                .action(c -> shop.once(c.idempotencyKey(), c.epoch()))
                .probeOutcome(c -> shop.close(c.idempotencyKey(), c.epoch()))
                .retry(Retry.fixed(Duration.ofSeconds(2)).maxAttempts(3))
                .build();
    }
}
