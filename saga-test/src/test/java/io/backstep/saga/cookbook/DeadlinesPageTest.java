package io.backstep.saga.cookbook;

import static io.backstep.saga.test.SagaAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.test.SagaScenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code of docs/cookbook/deadlines.md, and that it does what the page says. */
class DeadlinesPageTest {
    record Booking(String event, int seats) {}

    static final SagaType<Booking> BOOKING = SagaType.named("booking", Booking.class);
    static final Step<String> HOLD = Step.named("hold", String.class);

    private static final List<String> DONE = new ArrayList<>();

    /** Holds seats. */
    static final class Venue {
        String hold(String key, int seats, Duration longest) {
            DONE.add("hold within " + longest);
            return "row 7";
        }

        void release(String key) {
            DONE.add("release");
        }

        void ticket(String key, String seats, Duration longest) {
            DONE.add("ticket within " + longest);
        }
    }

    /** Takes money. */
    static final class Cashier {
        void charge(String key, Duration longest) {
            DONE.add("charge within " + (longest.compareTo(Duration.ofSeconds(20)) < 0 ? "less" : longest));
        }
    }

    static SagaDefinition<Booking> booking(Venue venue, Cashier cashier) {
        return Saga.define(BOOKING)
                .step(HOLD)
                .action(c -> venue.hold(c.idempotencyKey(), c.input().seats(), c.remaining())) // at most so long
                .compensate((c, held) -> venue.release(c.idempotencyKey()))
                .timeout(Duration.ofSeconds(20))
                .pivot("charge")
                .action(c -> cashier.charge(c.idempotencyKey(), c.remaining()))
                .timeout(Duration.ofSeconds(20))
                .retriable("ticket")
                .action(c -> venue.ticket(c.idempotencyKey(), c.result(HOLD), c.remaining()))
                .timeout(Duration.ofSeconds(40))
                .deadline(Duration.ofSeconds(30))
                .build();
    }

    DeadlinesPageTest() {
        DONE.clear();
    }

    private static SagaScenario<Booking> scenario() {
        return SagaScenario.of(booking(new Venue(), new Cashier())).given(new Booking("concert", 2));
    }

    @Test
    void an_attempt_has_its_timeout_where_the_deadline_is_farther() {
        scenario().then().completed();

        assertThat(DONE).containsExactly("hold within PT20S", "charge within PT20S", "ticket within PT40S");
    }

    @Test
    void near_the_deadline_there_is_less() {
        scenario().when(HOLD).hangs(1).then().completed();

        assertThat(DONE).contains("charge within less", "ticket within PT40S");
    }

    @Test
    void a_step_that_would_begin_after_it_does_not() {
        scenario()
                .when(HOLD)
                .hangs(2)
                .then()
                .compensated("hold")
                .hasReason(SagaReason.DEADLINE_EXCEEDED)
                .hasStep("charge", StepStatus.PENDING);

        assertThat(DONE).endsWith("release").noneMatch(line -> line.startsWith("charge"));
    }
}
