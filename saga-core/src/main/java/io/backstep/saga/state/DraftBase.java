package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.definition.StepKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

class DraftBase {
    final SagaDefinition<?> d;
    SagaStatus status;
    @Nullable
    SagaReason turned, pending, parked;

    @Nullable
    Duration deadline;

    final List<StepState> s;
    final List<Call> calls = new ArrayList<>();
    final List<Fact> facts = new ArrayList<>();
    final List<Integer> suspects = new ArrayList<>();

    DraftBase(SagaDefinition<?> d, SagaState st) {
        this.d = d;
        status = st.status();
        turned = st.turned();
        pending = st.pending();
        parked = st.parked();
        deadline = st.deadline();
        s = new ArrayList<>(st.steps());
    }

    Transition transition() {
        return new Transition(new SagaState(status, turned, pending, parked, deadline, s), calls, facts, suspects);
    }

    StepDefinition def(int i) {
        return d.steps().get(i);
    }

    StepStatus st(int i) {
        return s.get(i).status();
    }

    void set(int i, StepStatus status, @Nullable Duration nb) {
        StepState x = s.get(i);
        s.set(i, new StepState(status, x.failures(), x.interruptions(), x.takeovers(), x.inDoubt(), x.completed(), nb));
    }

    void count(int i, int f, int n, int t, boolean doubt) {
        StepState x = s.get(i);
        s.set(
                i,
                new StepState(
                        x.status(),
                        x.failures() + f,
                        x.interruptions() + n,
                        x.takeovers() + t,
                        x.inDoubt() || doubt,
                        x.completed(),
                        x.notBefore()));
    }

    void fresh(int i) {
        StepState x = s.get(i);
        s.set(i, new StepState(x.status(), 0, 0, 0, x.inDoubt(), x.completed(), x.notBefore()));
    }

    void fact(int i, Phase p, int a, Outcome o, @Nullable SagaReason r) {
        facts.add(new Fact(i, p, a, o, r));
    }

    int pivot() {
        for (int i = 0; i < s.size(); i++) if (def(i).kind() == StepKind.PIVOT) return i;
        return -1;
    }

    boolean done(int i) {
        return st(i) == StepStatus.SUCCEEDED
                || st(i) == StepStatus.SKIPPED
                || (st(i) == StepStatus.GIVEN_UP && def(i).kind() == StepKind.BEST_EFFORT);
    }

    boolean decided() {
        int p = pivot();
        if (p >= 0) return done(p);
        for (int i = 0; i < s.size(); i++) if (def(i).kind() != StepKind.BEST_EFFORT && !done(i)) return false;
        return true;
    }

    boolean pivotOpen() {
        int p = pivot();
        return p >= 0
                && (st(p) == StepStatus.EXECUTING
                        || (st(p) == StepStatus.WAITING && s.get(p).inDoubt()));
    }

    void park(SagaReason r) {
        status = SagaStatus.FAILED;
        parked = r;
        fact(-1, Phase.SAGA, 0, Outcome.PARKED, r);
    }

    void requestTurn(SagaReason r) {
        if (status != SagaStatus.RUNNING || decided()) return;
        if (pivotOpen()) {
            if (pending == null) pending = r;
            return;
        }
        turn(r);
    }

    void turn(SagaReason r) {
        status = SagaStatus.COMPENSATING;
        turned = r;
        pending = null;
        fact(-1, Phase.SAGA, 0, Outcome.TURNED, r);
        for (int i = 0; i < s.size(); i++) if (st(i) == StepStatus.WAITING) settle(i);
    }

    void settle(int i) {
        set(i, def(i).transactional() || !s.get(i).inDoubt() ? StepStatus.GIVEN_UP : StepStatus.UNKNOWN, null);
    }
}
