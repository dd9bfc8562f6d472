package io.backstep.saga.definition;

import static io.backstep.saga.definition.StepKind.BEST_EFFORT;
import static io.backstep.saga.definition.StepKind.COMPENSATABLE;
import static io.backstep.saga.definition.StepKind.PIVOT;
import static io.backstep.saga.definition.StepKind.RETRIABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.TypeRef;
import io.backstep.saga.definition.PlaceOrderSaga.Payment;
import io.backstep.saga.definition.PlaceOrderSaga.PaymentDeclined;
import io.backstep.saga.definition.PlaceOrderSaga.PlaceOrder;
import io.backstep.saga.definition.PlaceOrderSaga.Reservation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SagaDslTest {
    private static final SagaType<PlaceOrder> TYPE = PlaceOrderSaga.TYPE;
    private static final Step<List<String>> PICK = Step.named("pick", new TypeRef<List<String>>() {});

    private final Calls calls = new Calls();
    private final SagaDefinition<PlaceOrder> order = PlaceOrderSaga.definition(calls, calls, calls, calls);

    @Test
    void the_order_saga_is_what_was_written() {
        assertThat(order.name()).isEqualTo("place-order");
        assertThat(order.type()).isEqualTo(TYPE);
        assertThat(order.version()).isEqualTo(1);
        assertThat(order.deadline()).isEqualTo(Duration.ofMinutes(10));
        assertThat(order.strictCompensation()).isFalse();
        assertThat(order.steps())
                .extracting(StepDefinition::name)
                .containsExactly(
                        "create-order",
                        "reserve-inventory",
                        "process-payment",
                        "confirm-order",
                        "ship",
                        "send-confirmation");
        assertThat(order.steps())
                .extracting(StepDefinition::kind)
                .containsExactly(COMPENSATABLE, COMPENSATABLE, COMPENSATABLE, PIVOT, RETRIABLE, BEST_EFFORT);
        assertThat(order.steps())
                .extracting(StepDefinition::transactional)
                .containsExactly(true, false, false, true, false, false);
        assertThat(order.steps())
                .extracting(StepDefinition::resultType)
                .containsExactly(null, Reservation.class, Payment.class, null, null, null);
    }

    @Test
    void a_step_waits_for_all_that_are_declared_before_it() {
        assertThat(step("create-order").waitsFor()).isEmpty();
        assertThat(step("process-payment").waitsFor()).containsExactly("create-order", "reserve-inventory");
        assertThat(step("send-confirmation").waitsFor())
                .containsExactly("create-order", "reserve-inventory", "process-payment", "confirm-order", "ship");
    }

    @Test
    void a_compensation_is_transactional_when_its_action_is() {
        assertThat(order.steps())
                .extracting(StepDefinition::compensationTransactional)
                .containsExactly(true, false, false, false, false, false);
    }

    @Test
    void what_is_tuned_is_kept() {
        StepDefinition pay = step("process-payment");

        assertThat(pay.retry().attempts()).isEqualTo(5);
        assertThat(pay.retry().rejects(new PaymentDeclined())).isTrue();
        assertThat(pay.timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(pay.compensationTimeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(pay.compensationRetry().rejects(new PaymentDeclined())).isFalse();
    }

    @Test
    void actions_and_compensations_run_with_their_types_erased() throws Exception {
        PlaceOrder input = new PlaceOrder("book", 2, 30);
        StepContext<Object> context = GivenContext.of("reserve-inventory", input);

        assertThat(step("create-order").action().run(context)).isNull();
        Object reservation = step("reserve-inventory").action().run(context);
        assertThat(reservation).isEqualTo(new Reservation("book"));
        step("reserve-inventory").compensation().run(context, Optional.of(reservation));
        step("create-order").compensation().run(context, Optional.empty());
        step("send-confirmation")
                .action()
                .run(new GivenContext<>(
                                context.sagaId(),
                                "send-confirmation",
                                input,
                                Map.of("process-payment", new Payment("p")))
                        .erased());

        String key = context.sagaId() + ":reserve-inventory";
        assertThat(calls.made).containsExactly("create 2 book", "reserve " + key, "release " + key, "reject", "mail p");
    }

    @Test
    void a_typed_compensation_is_handed_the_result_or_empty() throws Exception {
        List<Optional<List<String>>> handed = new ArrayList<>();
        SagaDefinition<PlaceOrder> saga = Saga.define(TYPE)
                .step(PICK)
                .action(c -> List.of(c.input().sku()))
                .compensate((c, picked) -> handed.add(picked))
                .build();

        StepDefinition pick = saga.steps().get(0);
        pick.compensation().run(GivenContext.of("pick", null), Optional.of(List.of("a")));
        pick.compensation().run(GivenContext.of("pick", null), Optional.empty());

        assertThat(handed).containsExactly(Optional.of(List.of("a")), Optional.empty());
        assertThat(pick.resultType().getTypeName()).isEqualTo("java.util.List<java.lang.String>");
    }

    @Test
    void checked_exceptions_pass_through() {
        SagaDefinition<PlaceOrder> saga = Saga.define(TYPE)
                .step("a")
                .action(c -> {
                    throw new IOException("action");
                })
                .compensate(c -> {
                    throw new IOException("compensation");
                })
                .build();
        StepDefinition a = saga.steps().get(0);

        assertThatThrownBy(() -> a.action().run(GivenContext.of("a", null))).hasMessage("action");
        assertThatThrownBy(() -> a.compensation().run(GivenContext.of("a", null), Optional.empty()))
                .hasMessage("compensation");
    }

    @Test
    void defaults_are_as_documented() {
        StepDefinition reserve = step("reserve-inventory");
        assertPolicy(reserve.retry(), 3);
        assertPolicy(reserve.compensationRetry(), 10);
        assertPolicy(step("confirm-order").retry(), 3);
        assertPolicy(step("ship").retry(), 0);
        assertPolicy(step("send-confirmation").retry(), 3);
        assertThat(reserve.timeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(reserve.compensationTimeout()).isEqualTo(Duration.ofMinutes(1));

        SagaDefinition<PlaceOrder> plain =
                Saga.define(TYPE).pivot("a").action(c -> {}).build();
        assertThat(plain.deadline()).isNull();
        assertThat(plain.version()).isEqualTo(1);
    }

    @Test
    void a_policy_that_says_no_number_of_attempts_has_that_of_its_use() {
        Retry everySecond = Retry.fixed(Duration.ofSeconds(1));
        SagaDefinition<PlaceOrder> saga = Saga.define(TYPE)
                .step("a")
                .action(c -> {})
                .compensate(c -> {})
                .retry(everySecond)
                .compensationRetry(everySecond)
                .pivot("b")
                .action(c -> {})
                .retriable("c")
                .action(c -> {})
                .retry(everySecond)
                .retriable("d")
                .action(c -> {})
                .retry(everySecond.maxAttempts(3))
                .build();

        assertThat(saga.steps().get(0).retry().attempts()).isEqualTo(3);
        assertThat(saga.steps().get(0).compensationRetry().attempts()).isEqualTo(10);
        assertThat(saga.steps().get(2).retry().attempts()).isZero();
        assertThat(saga.steps().get(2).retry().spent(1_000_000)).isFalse();
        assertThat(saga.steps().get(3).retry().attempts()).isEqualTo(3);
    }

    @Test
    void every_verb_is_kept() {
        SagaDefinition<PlaceOrder> saga = Saga.define(TYPE)
                .version(7)
                .strictCompensation()
                .step(PICK)
                .transactional()
                .action(c -> List.of())
                .noCompensation("reads only")
                .rejectOn(IOException.class, IllegalStateException.class)
                .retry(Retry.none().rejectOn(PaymentDeclined.class))
                .rejectOn(Error.class)
                .step("b")
                .action(c -> {})
                .compensate(c -> {})
                .compensationRetry(Retry.fixed(Duration.ofSeconds(3)).maxAttempts(2))
                .compensationTimeout(Duration.ofSeconds(4))
                .pivot(Step.named("c", String.class))
                .action(c -> "c")
                .retriable(Step.named("d", String.class))
                .action(c -> "d")
                .bestEffort(Step.named("e", String.class))
                .action(c -> null)
                .deadline(Duration.ofDays(366))
                .build();

        assertThat(saga.version()).isEqualTo(7);
        assertThat(saga.strictCompensation()).isTrue();
        StepDefinition pick = saga.steps().get(0);
        assertThat(pick.noCompensation()).isEqualTo("reads only");
        assertThat(pick.compensation()).isNull();
        assertThat(pick.transactional()).isTrue();
        assertThat(pick.compensationTransactional()).isFalse();
        assertThat(List.of(
                        new IOException(), new IllegalStateException(), new PaymentDeclined(), new Error("rejected")))
                .allMatch(pick.retry()::rejects);
        assertThat(pick.retry().attempts()).isEqualTo(1);
        StepDefinition b = saga.steps().get(1);
        assertThat(b.compensationRetry().attempts()).isEqualTo(2);
        assertThat(b.compensationTimeout()).isEqualTo(Duration.ofSeconds(4));
        assertThat(saga.steps()).extracting(StepDefinition::kind).endsWith(PIVOT, RETRIABLE, BEST_EFFORT);
        assertThat(saga.steps())
                .extracting(StepDefinition::resultType)
                .endsWith(String.class, String.class, String.class);
    }

    @Test
    void a_saga_may_be_defined_in_a_loop() {
        SagaStage<PlaceOrder> saga = Saga.define(TYPE);
        for (int i = 0; i < 100; i++) {
            saga = saga.step("step-" + i).action(c -> {}).noCompensation("a test");
        }

        assertThat(saga.build().steps()).hasSize(100);
    }

    @Test
    void best_effort_steps_may_stand_anywhere() {
        SagaDefinition<PlaceOrder> saga = Saga.define(TYPE)
                .bestEffort("first")
                .action(c -> {})
                .step("a")
                .action(c -> {})
                .compensate(c -> {})
                .bestEffort("between")
                .action(c -> {})
                .pivot("b")
                .action(c -> {})
                .bestEffort("last")
                .action(c -> {})
                .build();

        assertThat(saga.steps()).hasSize(5);
    }

    private StepDefinition step(String name) {
        return order.steps().get(order.indexOf(name));
    }

    private static void assertPolicy(Retry retry, int attempts) {
        assertThat(retry.attempts()).isEqualTo(attempts);
        assertThat(retry.delay(1, 0)).isEqualTo(Duration.ofMillis(200));
        assertThat(retry.delay(1, 0.5)).isEqualTo(Duration.ofMillis(220));
        assertThat(retry.delay(2, 0)).isEqualTo(Duration.ofMillis(400));
        assertThat(retry.delay(60, Math.nextDown(1.0))).isEqualTo(Duration.ofMinutes(5));
    }

    private static final class Calls
            implements PlaceOrderSaga.Orders, PlaceOrderSaga.Inventory, PlaceOrderSaga.Payments, PlaceOrderSaga.Mail {
        final List<String> made = new ArrayList<>();

        @Override
        public UUID create(UUID id, PlaceOrder order) {
            made.add("create " + order.quantity() + " " + order.sku());
            return id;
        }

        @Override
        public void reject(UUID id) {
            made.add("reject");
        }

        @Override
        public void confirm(UUID id) {
            made.add("confirm");
        }

        @Override
        public void ship(UUID id) {
            made.add("ship");
        }

        @Override
        public Reservation reserve(String key, String sku, int quantity) {
            made.add("reserve " + key);
            return new Reservation(sku);
        }

        @Override
        public void release(String key) {
            made.add("release " + key);
        }

        @Override
        public Payment charge(String key, long amount) {
            made.add("charge");
            return new Payment(key);
        }

        @Override
        public boolean refund(String key) {
            return made.add("refund");
        }

        @Override
        public void confirmation(UUID id, Payment payment) {
            made.add("mail " + payment.id());
        }
    }
}
