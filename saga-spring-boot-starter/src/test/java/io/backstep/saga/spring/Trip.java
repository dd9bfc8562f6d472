package io.backstep.saga.spring;

import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;

/** The saga of these tests: its input says how it ends. */
record Trip(String traveller, Ending ending) {
    static final SagaType<Trip> TYPE = SagaType.named("trip", Trip.class);

    enum Ending {
        COMPLETES,
        IS_REJECTED,
        IS_REJECTED_AND_STUCK
    }

    static Trip of(Ending ending) {
        return new Trip("ann", ending);
    }

    static SagaDefinition<Trip> definition() {
        return definition(1);
    }

    static SagaDefinition<Trip> definition(int version) {
        return Saga.define(TYPE)
                .version(version)
                .step("book")
                .action(c -> {})
                .compensate(c -> cancel(c.input()))
                .compensationRetry(Retry.fixed(Duration.ofMillis(1)).maxAttempts(3))
                .step("pay")
                .action(c -> pay(c.input()))
                .noCompensation("nothing was charged")
                .build();
    }

    static SagaDefinition<Trip> transactional() {
        return Saga.define(TYPE)
                .step("book")
                .transactional()
                .action(c -> {})
                .noCompensation("a test")
                .build();
    }

    private static void cancel(Trip trip) {
        if (trip.ending() == Ending.IS_REJECTED_AND_STUCK) {
            throw new IllegalStateException("the hotel does not answer");
        }
    }

    private static void pay(Trip trip) {
        if (trip.ending() != Ending.COMPLETES) {
            throw new StepRejectedException("no-money", "the card is empty");
        }
    }
}
