package io.backstep.saga.cookbook;

import static io.backstep.saga.test.SagaAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.test.SagaScenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The code of docs/cookbook/in-doubt.md, and that it does what the page says. */
class InDoubtPageTest {
    record Order(String customer, int amount) {}

    record Payment(String id) {}

    static final SagaType<Order> ORDER = SagaType.named("order", Order.class);
    static final Step<Payment> PAY = Step.named("pay", Payment.class);

    private static final List<String> DONE = new ArrayList<>();

    /** Remembers keys, and can be asked for them. */
    static final class Bank {
        private final Map<String, Payment> payments = new HashMap<>();
        private boolean saysNo;

        Payment charge(String key, int amount) {
            DONE.add("charge");
            if (saysNo) {
                throw new StepRejectedException("NO_COVER", "not enough money");
            }
            return payments.computeIfAbsent(key, unused -> new Payment("P-1"));
        }

        Optional<Payment> find(String key) {
            DONE.add("look for the payment");
            return Optional.ofNullable(payments.get(key));
        }

        void refund(String key) {
            DONE.add("refund");
        }
    }

    /** Knows no keys. */
    static final class Printer {
        void print(String name) {
            DONE.add("print");
        }

        void shred(String name) {
            DONE.add("shred");
        }
    }

    /** Can be told to refuse whatever it has not got by now. */
    static final class Courier {
        private final Set<String> handed = new HashSet<>();
        private boolean away;

        void handOver(String key) {
            DONE.add("hand over");
            handed.add(key);
        }

        String closeAndLookUp(String key) {
            DONE.add("look up");
            return away ? "?" : handed.contains(key) ? "handed over" : "closed";
        }
    }

    static SagaDefinition<Order> order(Bank bank, Printer printer, Courier courier) {
        return Saga.define(ORDER)
                .step("label")
                .action(c -> printer.print(c.input().customer())) // knows no keys: a second call prints a second one
                .compensate(c -> printer.shred(c.input().customer()))
                .atMostOnce()
                .step(PAY)
                .action(c -> bank.charge(c.idempotencyKey(), c.input().amount()))
                .probe(c -> bank.find(c.idempotencyKey())) // Optional<Payment>; empty = don't know
                .compensate((c, payment) -> bank.refund(c.idempotencyKey()))
                .retry(Retry.fixed(Duration.ofSeconds(2)).maxAttempts(3))
                .rejectionIsDefinite() // it remembers keys: a no is a no to all attempts
                .pivot("hand-over")
                .action(c -> courier.handOver(c.idempotencyKey()))
                .probeOutcome(c -> switch (courier.closeAndLookUp(c.idempotencyKey())) {
                    case "handed over" -> Probe.tookEffect();
                    case "closed" -> Probe.didNot(); // it refuses what arrives later
                    default -> Probe.unknown();
                })
                .build();
    }

    private final Bank bank = new Bank();
    private final Courier courier = new Courier();

    InDoubtPageTest() {
        DONE.clear();
    }

    private SagaScenario<Order> scenario() {
        return SagaScenario.of(order(bank, new Printer(), courier)).given(new Order("ann", 30));
    }

    @Test
    void nobody_is_asked_when_nothing_goes_wrong() {
        scenario().then().completed();

        assertThat(DONE).containsExactly("print", "charge", "hand over");
    }

    @Test
    void a_lost_reply_is_found_and_nothing_is_called_twice() {
        scenario().when(PAY).losesReply(1).then().completed().hasResult(PAY, new Payment("P-1"));

        assertThat(DONE).containsExactly("print", "charge", "look for the payment", "hand over");
    }

    @Test
    void a_lost_node_is_asked_after() {
        scenario().when(PAY).crashesAfter().then().completed().hasInHistory("probe pay #1 SUCCEEDED");
    }

    @Test
    void a_call_that_never_arrived_is_made_again() {
        scenario().when(PAY).fails(1).then().completed();

        assertThat(DONE).containsExactly("print", "look for the payment", "charge", "hand over");
    }

    @Test
    void what_is_never_found_is_undone_in_the_end() {
        scenario().when(PAY).failsAlways().then().compensated("pay", "label");

        assertThat(DONE).filteredOn("look for the payment"::equals).hasSize(5);
    }

    @Test
    void a_no_of_a_participant_that_remembers_keys_is_definite() {
        bank.saysNo = true;
        scenario().when(PAY).fails(1).then().compensated("label").hasStep("pay", StepStatus.REJECTED);
    }

    @Test
    void what_is_called_at_most_once_is_undone_at_the_first_doubt() {
        scenario().when("label").losesReply(1).then().compensated("label").hasAttempts("label", 1);

        assertThat(DONE).containsExactly("print", "shred");
    }

    @Test
    void a_pivot_that_took_effect_is_found() {
        scenario().when("hand-over").alwaysLosesReply().then().completed().hasAttempts("hand-over", 1);
    }

    @Test
    void a_pivot_that_certainly_did_not_turns_the_saga() {
        scenario().when("hand-over").failsAlways().then().compensated("pay", "label");
    }

    @Test
    void a_pivot_is_parked_when_nobody_knows() {
        courier.away = true;
        scenario().when("hand-over").alwaysLosesReply().then().parked(SagaReason.PIVOT_UNKNOWN);
    }
}
