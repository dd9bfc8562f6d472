package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SignalOutcome;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.test.SagaRun;
import io.backstep.saga.test.SagaScenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code of docs/cookbook/waiting.md, and that it does what the page says. */
class WaitingPageTest {
    record Order(String customer, int amount) {}

    record Settlement(String reference, int amount) {}

    static final SagaType<Order> ORDER = SagaType.named("settled-order", Order.class);
    static final Step<Settlement> SETTLED = Step.named("settled", Settlement.class);

    /** Notes what it is asked to do. */
    static final class Shop {
        final List<String> done = new ArrayList<>();

        void requestPayment(String key, int amount) {
            done.add("request " + amount);
        }

        void refund(String key) {
            done.add("refund");
        }

        void ship(String key, String reference) {
            done.add("ship " + reference);
        }
    }

    static SagaDefinition<Order> order(Shop shop) {
        return Saga.define(ORDER)
                .step("request-payment")
                .action(c -> shop.requestPayment(c.idempotencyKey(), c.input().amount()))
                .compensate(c -> shop.refund(c.idempotencyKey()))
                .awaitSignal(SETTLED, Duration.ofHours(2))
                .delay("cooling-off", Duration.ofDays(1))
                .pivot("ship")
                .action(c -> shop.ship(c.idempotencyKey(), c.result(SETTLED).reference()))
                .build();
    }

    /** Those who hear from the bank. */
    record Bank(SagaClient sagas) {
        SignalOutcome settled(String order, Settlement settlement, String messageId) {
            return sagas.signal(ORDER, order, SETTLED, settlement, messageId);
        }

        SignalOutcome refused(String order, String why, String messageId) {
            return sagas.signalRejected(ORDER, order, SETTLED, "REFUSED", why, messageId);
        }
    }

    private static final String KEY = "order-42";
    private static final Settlement PAID = new Settlement("S-1", 100);

    private final Shop shop = new Shop();
    private final List<SignalOutcome> told = new ArrayList<>();

    private SagaScenario<Order> scenario() {
        return SagaScenario.of(order(shop)).given(new Order("ann", 100)).startedWith(StartOptions.businessKey(KEY));
    }

    @Test
    void the_settlement_lets_it_ship_a_day_later() {
        SagaRun run = scenario()
                .at(Duration.ofMinutes(5), (sagas, id) -> told.add(new Bank(sagas).settled(KEY, PAID, "m1")))
                .at(Duration.ofMinutes(6), (sagas, id) -> told.add(new Bank(sagas).settled(KEY, PAID, "m1")))
                .at(Duration.ofMinutes(7), (sagas, id) -> told.add(new Bank(sagas).settled(KEY, PAID, "m2")))
                .run();

        assertThat(run.saga().status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(run.saga().result(SETTLED)).contains(PAID);
        assertThat(shop.done).containsExactly("request 100", "ship S-1");
        assertThat(told).containsExactly(SignalOutcome.ACCEPTED, SignalOutcome.DUPLICATE, SignalOutcome.TOO_LATE);
        assertThat(Duration.between(run.saga().createdAt(), run.saga().updatedAt()))
                .isGreaterThanOrEqualTo(Duration.ofDays(1));
    }

    @Test
    void a_refusal_refunds() {
        SagaRun run = scenario()
                .at(Duration.ofMinutes(5), (sagas, id) -> told.add(new Bank(sagas).refused(KEY, "no money", "m1")))
                .run();

        assertThat(run.saga().status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(run.saga().reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(shop.done).containsExactly("request 100", "refund");
    }

    @Test
    void silence_refunds() {
        SagaRun run = scenario().run();

        assertThat(run.saga().status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(run.saga().reason()).isEqualTo(SagaReason.UNANSWERED);
        assertThat(shop.done).containsExactly("request 100", "refund");
    }
}
