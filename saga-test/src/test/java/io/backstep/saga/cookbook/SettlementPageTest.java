package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
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

/** The code of docs/cookbook/settlement.md, and that it does what the page says. */
class SettlementPageTest {
    record Order(String customer, int amount) {}

    record Refund(String reference) {}

    static final SagaType<Order> ORDER = SagaType.named("refunded-order", Order.class);
    static final Step<Refund> REFUNDED = Step.named("payment-refunded", Refund.class);

    /** Notes what it is asked to do. */
    static final class Bank {
        final List<String> done = new ArrayList<>();

        void charge(String key, int amount) {
            done.add("charge " + amount);
        }

        void requestRefund(String key) {
            done.add("request refund");
        }
    }

    static final class Warehouse {
        void reserve(String key) {
            throw new StepRejectedException("SOLD_OUT", "nothing left");
        }
    }

    static SagaDefinition<Order> order(Bank bank, Warehouse warehouse) {
        return Saga.define(ORDER)
                .step("charge")
                .action(c -> bank.charge(c.idempotencyKey(), c.input().amount()))
                .compensate(c -> bank.requestRefund(c.idempotencyKey()))
                .compensationAwaits(REFUNDED, Duration.ofDays(7))
                .step("reserve")
                .action(c -> warehouse.reserve(c.idempotencyKey()))
                .noCompensation("a reservation ends by itself")
                .build();
    }

    /** Hears from the bank. */
    record Webhook(SagaClient sagas) {
        SignalOutcome refunded(String order, Refund refund, String messageId) {
            return sagas.signal(ORDER, order, REFUNDED, refund, messageId);
        }

        SignalOutcome refused(String order, String why, String messageId) {
            return sagas.signalRejected(ORDER, order, REFUNDED, "REFUSED", why, messageId);
        }
    }

    private static final String KEY = "order-42";

    private final Bank bank = new Bank();
    private final List<SignalOutcome> told = new ArrayList<>();

    private SagaScenario<Order> scenario() {
        return SagaScenario.of(order(bank, new Warehouse()))
                .given(new Order("ann", 100))
                .startedWith(StartOptions.businessKey(KEY))
                .atMost(Duration.ofDays(30));
    }

    @Test
    void the_webhook_ends_the_compensation_days_later() {
        SagaRun run = scenario()
                .at(Duration.ofDays(3), (sagas, id) -> {
                    told.add(new Webhook(sagas).refunded(KEY, new Refund("R-1"), "m1"));
                    told.add(new Webhook(sagas).refunded(KEY, new Refund("R-1"), "m1"));
                })
                .run();

        assertThat(run.saga().status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(bank.done).containsExactly("charge 100", "request refund");
        assertThat(told).containsExactly(SignalOutcome.ACCEPTED, SignalOutcome.DUPLICATE);
        assertThat(Duration.between(run.saga().createdAt(), run.saga().updatedAt()))
                .isGreaterThanOrEqualTo(Duration.ofDays(3));
    }

    @Test
    void a_refund_that_is_refused_is_a_failed_compensation() {
        SagaRun run = scenario()
                .at(Duration.ofDays(3), (sagas, id) -> told.add(new Webhook(sagas).refused(KEY, "closed", "m1")))
                .run();

        assertThat(run.saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(run.saga().reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
    }

    @Test
    void silence_is_a_failed_compensation() {
        SagaRun run = scenario().run();

        assertThat(run.saga().reason()).isEqualTo(SagaReason.COMPENSATION_EXHAUSTED);
        assertThat(Duration.between(run.saga().createdAt(), run.saga().updatedAt()))
                .isGreaterThanOrEqualTo(Duration.ofDays(7));
    }
}
