package io.backstep.saga.state;

import io.backstep.saga.StepStatus;
import io.backstep.saga.state.Question.Cause;

/** Lets the probe of a step be asked before anything follows from a doubt. */
final class Doubts {
    /** However patient the policy of the action is: a doubt is settled some day. */
    private static final int MOST_QUESTIONS = 10;

    private final Draft draft;
    private final Plan plan;

    Doubts(Draft draft) {
        this.draft = draft;
        this.plan = draft.plan();
    }

    /** Whether there is a doubt, and a probe to ask. */
    boolean asks(int i) {
        return draft.step(i).inDoubt() && plan.hasProbe(i);
    }

    /** Whether it may have taken effect, must not be called again, and nobody can be asked. */
    boolean stands(int i) {
        return draft.step(i).inDoubt() && plan.step(i).atMostOnce() && !plan.hasProbe(i);
    }

    /** The next attempt, at its time, asks the probe. */
    void ask(int i, Cause cause) {
        draft.set(i, draft.step(i).asking(new Question(cause, 0)));
    }

    /** The action is not tried any more; a probe is asked before that settles anything. */
    void settle(int i) {
        if (!asks(i)) {
            draft.settle(i);
            return;
        }
        if (draft.step(i).question() == null) {
            ask(i, Cause.SPENT);
        }
        draft.set(i, draft.step(i).waiting(StepStatus.WAITING, draft.now()));
    }

    /** No action is tried again, and nothing is begun any more but what is asked; children are awaited. */
    void settleForward() {
        draft.waiting().forEach(this::settle);
        draft.beginNothing();
    }

    /** As {@link #settle}, and the probe is asked as often as if it never had been. */
    void settleAfresh(int i) {
        Question question = draft.step(i).question();
        if (question != null) {
            ask(i, question.cause());
        }
        settle(i);
    }

    /** Whether the probe has been asked often enough. */
    boolean spent(int i, int unanswered) {
        return plan.step(i).retry().spent(unanswered) || unanswered >= MOST_QUESTIONS;
    }
}
