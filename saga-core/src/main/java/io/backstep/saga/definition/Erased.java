package io.backstep.saga.definition;

import java.util.Optional;
import java.util.function.Predicate;

/** Forgets the types of lambdas: the stages have made sure that they fit the saga's input and the step's result. */
final class Erased {
    private Erased() {}

    @SuppressWarnings("unchecked")
    static Action<Object, Object> action(Action<?, ?> action) {
        return (Action<Object, Object>) action;
    }

    @SuppressWarnings("unchecked")
    static Action<Object, Object> voidAction(VoidAction<?> action) {
        VoidAction<Object> erased = (VoidAction<Object>) action;
        return context -> {
            erased.run(context);
            return null;
        };
    }

    /** The saga that a stage of it is about. */
    @SuppressWarnings("unchecked")
    static <I> SagaBuilder<I> saga(StepDraft draft) {
        return (SagaBuilder<I>) draft.saga();
    }

    @SuppressWarnings("unchecked")
    static Predicate<SagaData<Object>> condition(Predicate<?> condition) {
        return (Predicate<SagaData<Object>>) condition;
    }

    /** Finding nothing means not knowing. */
    @SuppressWarnings("unchecked")
    static <R> Action<Object, Probe<Object>> probe(Action<?, Optional<R>> probe) {
        Action<Object, Optional<Object>> erased = (Action<Object, Optional<Object>>) (Action<?, ?>) probe;
        return context -> {
            Optional<Object> found = erased.run(context);
            return found == null ? null : found.map(Probe::tookEffect).orElseGet(Probe::unknown);
        };
    }

    @SuppressWarnings("unchecked")
    static <R> Action<Object, Probe<Object>> probeOutcome(Action<?, Probe<R>> probe) {
        return (Action<Object, Probe<Object>>) (Action<?, ?>) probe;
    }

    @SuppressWarnings("unchecked")
    static Compensation<Object, Object> compensation(Compensation<?, ?> compensation) {
        return (Compensation<Object, Object>) compensation;
    }

    @SuppressWarnings("unchecked")
    static Compensation<Object, Object> voidCompensation(VoidAction<?> compensation) {
        VoidAction<Object> erased = (VoidAction<Object>) compensation;
        return (context, result) -> erased.run(context);
    }

    @SuppressWarnings("unchecked")
    static Confirmation<Object, Object> confirmation(Confirmation<?, ?> confirmation) {
        return (Confirmation<Object, Object>) confirmation;
    }

    @SuppressWarnings("unchecked")
    static Confirmation<Object, Object> voidConfirmation(VoidAction<?> confirmation) {
        VoidAction<Object> erased = (VoidAction<Object>) confirmation;
        return (context, result) -> erased.run(context);
    }
}
