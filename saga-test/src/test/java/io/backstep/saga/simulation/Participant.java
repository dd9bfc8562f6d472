package io.backstep.saga.simulation;

import io.backstep.saga.StepRejectedException;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Those who do the steps, and what they have done. */
final class Participant {
    enum Kind {
        /** Knows keys, and refuses an action that comes after its compensation. */
        GUARDED,
        /** Knows keys. */
        KEYED,
        /** Does whatever it is told. */
        NAIVE,
        /** Has no keys, and says no when it finds its own effect. */
        NAIVE_AND_REFUSING
    }

    /** A business no, without a stack. */
    static final class No extends StepRejectedException {
        private static final long serialVersionUID = 1L;

        No(String message) {
            super("NO", message);
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    /** What one step of one saga has done in the world. */
    static final class Effect {
        int applied;
        int undone;
        int net;
        boolean cancelled;
        boolean confirmed;
        /** An action arrived after the compensation, which only a guard refuses. */
        boolean afterUndo;

        /** Calls that began before are refused: somebody was told that they have no effect. */
        long deniedAt = -1;

        private final Set<String> keys = new HashSet<>();

        /** Whether it is reserved, and will not stay so. */
        boolean held() {
            return net > 0 && !confirmed;
        }
    }

    private record Place(UUID sagaId, int step, boolean tcc) {}

    private final Map<Place, Effect> effects = new HashMap<>();
    private final Tally tally;

    Participant(Tally tally) {
        this.tally = tally;
    }

    Effect effect(UUID sagaId, StepShape step) {
        return effects.computeIfAbsent(new Place(sagaId, step.origin(), step.tcc()), unused -> new Effect());
    }

    /** After its purge a late start may come back under the same id: as another saga. */
    void forget(UUID sagaId) {
        effects.keySet().removeIf(place -> place.sagaId().equals(sagaId));
    }

    /** Whether it has no effect, and what began by now will have none. */
    boolean denies(UUID sagaId, StepShape step, long now) {
        Effect effect = effect(sagaId, step);
        if (effect.net > 0) {
            return false;
        }
        effect.deniedAt = now;
        return true;
    }

    void act(UUID sagaId, StepShape step, String key, long begun) throws IOException {
        Effect effect = effect(sagaId, step);
        if (begun <= effect.deniedAt) {
            tally.reach(Goal.LATE_ACTION_REFUSED_AFTER_A_DENIAL);
            throw new IOException("it was said that it had no effect");
        }
        boolean known = !effect.keys.add(key);
        boolean dedupes = step.participant() == Kind.GUARDED || step.participant() == Kind.KEYED;
        if (step.participant() == Kind.GUARDED && effect.cancelled) {
            tally.reach(Goal.LATE_ACTION_REFUSED_BY_THE_GUARD);
            if (step.tcc()) {
                tally.reach(Goal.LATE_TRY_REFUSED);
                throw new No("cancelled, or expired");
            }
            throw new IOException("refused by the guard");
        }
        if (step.participant() == Kind.NAIVE_AND_REFUSING && effect.net > 0) {
            throw new No("it is there already");
        }
        if (!dedupes || !known) {
            effect.applied++;
            effect.net++;
            effect.afterUndo |= effect.undone > 0;
        }
    }

    void undo(UUID sagaId, StepShape step) {
        Effect effect = effect(sagaId, step);
        tally.reachIf(effect.applied == 0, Goal.EMPTY_COMPENSATION);
        effect.undone++;
        effect.net = 0;
        effect.cancelled = true;
    }

    /** Makes final what is reserved, unless that was given back. */
    void confirm(UUID sagaId, StepShape step) {
        Effect effect = effect(sagaId, step);
        if (effect.cancelled || effect.applied == 0) {
            tally.reach(Goal.CONFIRM_AFTER_THE_EXPIRY);
            throw new No("not reserved any more");
        }
        tally.reachIf(effect.confirmed, Goal.CONFIRMED_TWICE);
        effect.confirmed = true;
    }

    /** Nobody has come in time. */
    void expire(Effect effect) {
        if (effect.held()) {
            tally.reach(Goal.RESERVATION_EXPIRED);
            effect.net = 0;
            effect.cancelled = true;
        }
    }

    /** Everything that is reserved expires. */
    void sweep() {
        effects.entrySet().stream().filter(entry -> entry.getKey().tcc()).forEach(entry -> expire(entry.getValue()));
    }

    /** In the same transaction as the step's record. */
    void commit(UUID sagaId, StepShape step, boolean forward) {
        Effect effect = effect(sagaId, step);
        if (forward) {
            effect.applied++;
            effect.net++;
        } else {
            effect.undone++;
            effect.net--;
        }
    }
}
