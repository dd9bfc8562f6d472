package io.backstep.saga.test;

import io.backstep.saga.Step;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.VoidParticipantGuard;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;

/** What the cases of the guard's contract share. */
abstract class GuardFixture {
    static final Step<Booked> BOOK = Step.named("book", Booked.class);

    /**
     * The result of an action.
     *
     * @param number which call has made it
     */
    record Booked(String number) {}

    /** What a participant fails with. */
    static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Planned() {
            super("planned", null, false, false);
        }
    }

    final GuardContract contract;
    final String id = UUID.randomUUID() + ":book";
    final List<Optional<Booked>> undone = new ArrayList<>();

    GuardFixture(GuardContract contract) {
        this.contract = contract;
    }

    final ParticipantGuards guards() {
        return new ParticipantGuards(contract.store(), contract.transactions());
    }

    /** As another process would have it. */
    final ParticipantGuard<Booked> guard() {
        return guards().guard(BOOK);
    }

    final VoidParticipantGuard voidGuard() {
        return guards().guard("ship");
    }

    final Booked book(ParticipantGuard<Booked> guard, String number) {
        return tried(() -> guard.action(id, () -> booked(number)));
    }

    final Booked booked(String number) {
        contract.write(id, "did " + number);
        return new Booked(number);
    }

    final CompensationAnswer undo(ParticipantGuard<Booked> guard) {
        return tried(() -> guard.compensation(id, recorded -> {
            undone.add(recorded);
            contract.write(id, "undid");
        }));
    }

    final List<String> written() {
        return contract.written(id);
    }

    final <T> T inTransaction(Callable<T> work) {
        return tried(() -> contract.transactions().inTransaction(work));
    }

    static <T> T tried(Callable<T> work) {
        try {
            return work.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
