package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.store.InMemorySagaStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The code of docs/cookbook/branches.md, and that it does what the page says. */
class BranchesPageTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    record Trip(String from, String to, int nights, boolean insured) {}

    record Room(String hotel, int price) {}

    record Seat(String flight, int price) {}

    static final SagaType<Trip> TRIP = SagaType.named("book-trip", Trip.class);
    static final Step<Room> HOTEL = Step.named("hotel", Room.class);
    static final Step<Seat> FLIGHT = Step.named("flight", Seat.class);
    static final Step<String> POLICY = Step.named("insurance", String.class);

    /** Notes what it is asked to do, and has no seat when the trip goes to nowhere. */
    static final class Agency {
        final List<String> done = new CopyOnWriteArrayList<>();

        Room bookRoom(String key, String city, int nights) {
            done.add("room");
            return new Room("Grand", 100 * nights);
        }

        void cancelRoom(String key) {
            done.add("cancel room");
        }

        Seat bookSeat(String key, String from, String to) {
            if (to.equals("nowhere")) {
                throw new StepRejectedException("NO_SEAT", "nobody flies there");
            }
            done.add("seat");
            return new Seat("BS 1", 300);
        }

        void cancelSeat(String key) {
            done.add("cancel seat");
        }

        String insure(String key, int price) {
            done.add("insure " + price);
            return "P-1";
        }

        void cancelPolicy(String key) {
            done.add("cancel policy");
        }

        void charge(String key, int price) {
            done.add("charge " + price);
        }

        void send(String text) {
            done.add(text);
        }
    }

    static SagaDefinition<Trip> trip(Agency agency) {
        return Saga.define(TRIP)
                .step(HOTEL)
                .action(c -> agency.bookRoom(
                        c.idempotencyKey(), c.input().to(), c.input().nights()))
                .compensate((c, room) -> agency.cancelRoom(c.idempotencyKey()))
                .step(FLIGHT)
                .afterStart() // side by side with the hotel
                .action(c -> agency.bookSeat(
                        c.idempotencyKey(), c.input().from(), c.input().to()))
                .compensate((c, seat) -> agency.cancelSeat(c.idempotencyKey()))
                .step(POLICY)
                .after(HOTEL, FLIGHT) // joins them
                .onlyIf(c -> c.input().insured())
                .action(c -> agency.insure(
                        c.idempotencyKey(),
                        c.result(HOTEL).price() + c.result(FLIGHT).price()))
                .compensate((c, policy) -> agency.cancelPolicy(c.idempotencyKey()))
                .pivot("charge")
                .action(c -> agency.charge(
                        c.idempotencyKey(),
                        c.result(HOTEL).price() + c.result(FLIGHT).price()))
                .bestEffort("confirmation")
                .action(c -> agency.send(c.findResult(POLICY)
                        .map(policy -> "insured by " + policy)
                        .orElse("not insured")))
                .build();
    }

    private final Agency agency = new Agency();

    private SagaInstance booked(Trip trip) {
        InMemorySagaStore store = new InMemorySagaStore();
        try (SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .build()) {
            engine.register(trip(agency));
            engine.start();
            return engine.client().await(engine.client().start(TRIP, trip).sagaId(), LONG);
        }
    }

    private static StepStatus status(SagaInstance saga, String step) {
        return saga.steps().stream()
                .filter(view -> view.name().equals(step))
                .findFirst()
                .orElseThrow()
                .status();
    }

    @Test
    void both_branches_are_booked_and_joined() {
        SagaInstance saga = booked(new Trip("here", "there", 2, true));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(agency.done.subList(0, 2)).containsExactlyInAnyOrder("room", "seat");
        assertThat(agency.done.subList(2, agency.done.size()))
                .containsExactly("insure 500", "charge 500", "insured by P-1");
    }

    @Test
    void without_insurance_that_step_is_skipped() {
        SagaInstance saga = booked(new Trip("here", "there", 2, false));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(status(saga, "insurance")).isEqualTo(StepStatus.SKIPPED);
        assertThat(saga.result(POLICY)).isEmpty();
        assertThat(agency.done).endsWith("charge 500", "not insured");
    }

    @Test
    void a_branch_that_says_no_undoes_its_sibling_once_that_has_ended() {
        SagaInstance saga = booked(new Trip("here", "nowhere", 2, true));

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(agency.done).isIn(List.of("room", "cancel room"), List.of());
    }

    @Test
    void the_diagram_is_that_of_the_page() {
        assertThat(trip(agency).diagram()).isEqualTo(CookbookTest.block("branches.md", "mermaid"));
    }
}
