package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.engine.CancelOutcome;
import io.backstep.saga.test.CrashExplorer;
import io.backstep.saga.test.Effects;
import io.backstep.saga.test.Exploration;
import io.backstep.saga.test.SagaScenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The code of docs/cookbook/tcc.md, and that it does what the page says. */
class TccPageTest {
    record Trip(String flight, String hotel) {}

    record Seat(String number) {}

    static final SagaType<Trip> TRIP = SagaType.named("trip", Trip.class);
    static final Step<Seat> SEAT = Step.named("seat", Seat.class);

    private static final Trip INPUT = new Trip("LH 1", "Ritz");
    private static final List<String> DONE = new ArrayList<>();

    private final Effects effects = new Effects();

    /** Holds, books and releases by key, in any order. */
    private class Participant {
        final Map<String, String> states = new HashMap<>();
        final String what;

        Participant(String what) {
            this.what = what;
        }

        void hold(String key) {
            if ("RELEASED".equals(states.get(key))) {
                throw new StepRejectedException("TOO_LATE", "it was released");
            }
            if (states.putIfAbsent(key, "HELD") == null) {
                DONE.add("hold " + what);
                effects.applied(key);
            }
        }

        void book(String key) {
            assertThat(states.get(key)).isIn("HELD", "BOOKED");
            if (states.replace(key, "HELD", "BOOKED")) {
                DONE.add("book " + what);
                effects.confirmed(key);
            }
        }

        void release(String key) {
            assertThat(states.get(key)).isNotEqualTo("BOOKED");
            if ("HELD".equals(states.put(key, "RELEASED"))) {
                DONE.add("release " + what);
                effects.undone(key);
            }
        }
    }

    class Airline extends Participant {
        Airline() {
            super("seat");
        }

        Seat hold(String key, String flight) {
            hold(key);
            return new Seat("12A");
        }

        void print(Seat seat) {
            DONE.add("print " + seat.number());
        }
    }

    class Hotel extends Participant {
        Hotel() {
            super("room");
        }

        void hold(String key, String hotel) {
            hold(key);
        }
    }

    static final class Bank {
        void charge(String key) {
            DONE.add("charge");
        }

        void sendReceipt() {
            DONE.add("receipt");
        }
    }

    static SagaDefinition<Trip> trip(Airline airline, Hotel hotel) {
        return Tcc.define(TRIP)
                .tcc(SEAT)
                .tryAction(c -> airline.hold(c.idempotencyKey(), c.input().flight()))
                .confirm((c, seat) -> airline.book(c.idempotencyKey()))
                .cancel((c, seat) ->
                        airline.release(c.idempotencyKey())) // Optional<Seat>: empty when the try is unknown
                .tcc("room")
                .tryAction(c -> hotel.hold(c.idempotencyKey(), c.input().hotel()))
                .confirm(c -> hotel.book(c.idempotencyKey()))
                .cancel(c -> hotel.release(c.idempotencyKey()))
                .deadline(Duration.ofMinutes(10)) // as long as participants hold what was tried
                .build();
    }

    static SagaDefinition<Trip> paidTrip(Airline airline, Hotel hotel, Bank bank) {
        return Saga.define(SagaType.named("paid-trip", Trip.class))
                .tcc(SEAT)
                .tryAction(c -> airline.hold(c.idempotencyKey(), c.input().flight()))
                .confirm((c, seat) -> airline.book(c.idempotencyKey()))
                .cancel((c, seat) -> airline.release(c.idempotencyKey()))
                .pivot("pay") // decides
                .action(c -> bank.charge(c.idempotencyKey()))
                .retriable("ticket") // waits for the confirm of the seat
                .action(c -> airline.print(c.result(SEAT)))
                .bestEffort("mail")
                .after("pay") // does not
                .action(c -> bank.sendReceipt())
                .build();
    }

    TccPageTest() {
        DONE.clear();
    }

    private SagaScenario<Trip> scenario() {
        return SagaScenario.of(trip(new Airline(), new Hotel())).given(INPUT);
    }

    private SagaScenario<Trip> paid() {
        return SagaScenario.of(paidTrip(new Airline(), new Hotel(), new Bank())).given(INPUT);
    }

    @Test
    void all_are_tried_and_then_all_are_confirmed() {
        scenario().then().completed().confirmed("room", "seat").undid().hasResult(SEAT, new Seat("12A"));

        assertThat(DONE).containsExactly("hold seat", "hold room", "book seat", "book room");
    }

    @Test
    void one_that_is_rejected_cancels_all_that_are_held() {
        scenario().when("room").rejects().then().compensated("seat").confirmed().hasStep("room", StepStatus.REJECTED);

        assertThat(DONE).containsExactly("hold seat", "release seat");
    }

    @Test
    void a_try_that_nobody_knows_of_is_cancelled_too_and_first() {
        scenario()
                .when("room")
                .alwaysLosesReply()
                .then()
                .compensated("room", "seat")
                .confirmed();
    }

    @Test
    void a_confirm_is_tried_again_for_ever() {
        scenario()
                .whenConfirming(SEAT)
                .fails(30)
                .then()
                .completed()
                .hasConfirmAttempts("seat", 31)
                .hasConfirmAttempts("room", 1)
                .hasCompensationAttempts("seat", 0);
    }

    @Test
    void a_confirm_that_is_rejected_parks_and_cancels_nothing() {
        scenario()
                .whenConfirming("room")
                .rejects()
                .then()
                .parked(SagaReason.RETRIABLE_REJECTED)
                .undid()
                .hasStep("room", StepStatus.CONFIRMING)
                .hasInHistory("confirm room #1 REJECTED", "saga PARKED RETRIABLE_REJECTED");
    }

    @Test
    void who_takes_over_confirms_what_is_left() {
        scenario()
                .whenConfirming(SEAT)
                .crashesAfter()
                .then()
                .completed()
                .confirmed("seat", "room")
                .hasInHistory("confirm seat #1 TAKEN_OVER", "confirm seat #2 SUCCEEDED");

        assertThat(DONE).containsOnlyOnce("book seat").doesNotContain("release seat", "release room");
    }

    @Test
    void before_the_decision_a_cancel_cancels_and_after_it_it_is_too_late() {
        scenario()
                .when("room")
                .fails(2)
                .at(Duration.ofMillis(50), (sagas, id) -> sagas.cancel(id, "changed my mind"))
                .then()
                .hasReason(SagaReason.CANCELLED)
                .confirmed();

        List<CancelOutcome> late = new ArrayList<>();
        scenario()
                .whenConfirming("room")
                .fails(5)
                .at(Duration.ofMillis(250), (sagas, id) -> late.add(sagas.cancel(id, "changed my mind")))
                .then()
                .completed();
        assertThat(late).containsExactly(CancelOutcome.TOO_LATE);
    }

    @Test
    void the_pivot_decides_and_what_waits_for_the_try_waits_for_the_confirm() {
        paid().whenConfirming(SEAT).fails(1).then().completed().confirmed("seat");

        assertThat(DONE).containsExactly("hold seat", "charge", "receipt", "book seat", "print 12A");
    }

    @Test
    void a_pivot_that_is_rejected_cancels() {
        paid().when("pay").rejects().then().compensated("seat").confirmed();
    }

    @Test
    void a_confirm_that_there_is_not_cannot_go_wrong() {
        assertThatThrownBy(() -> paid().whenConfirming("pay"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no step pay with a confirm");
    }

    private Exploration explored(Airline airline) {
        return CrashExplorer.of(trip(airline, new Hotel()))
                .input(INPUT)
                .effects(effects)
                .explore();
    }

    @Test
    void wherever_a_node_dies_all_are_confirmed_or_all_are_cancelled() {
        assertThat(explored(new Airline()).assertSound().runs()).isGreaterThan(100);
    }

    @Test
    void a_participant_that_confirms_what_was_never_tried_is_found() {
        Exploration exploration = explored(new Airline() {
            @Override
            void book(String key) {
                states.put(key, "BOOKED");
                effects.confirmed(key);
            }
        });

        assertThat(exploration.findings())
                .flatExtracting(finding -> finding.problems())
                .anySatisfy(problem -> assertThat(problem).contains("the confirm of step seat under the key"));
    }

    @Test
    void a_participant_that_forgets_to_book_is_found() {
        Exploration exploration = explored(new Airline() {
            private int books;

            @Override
            void book(String key) {
                if (++books == 1) {
                    super.book(key);
                }
            }
        });

        assertThat(exploration.findings())
                .flatExtracting(finding -> finding.problems())
                .anySatisfy(
                        problem -> assertThat(problem).isEqualTo("it is COMPLETED, and step seat was confirmed never"));
    }
}
