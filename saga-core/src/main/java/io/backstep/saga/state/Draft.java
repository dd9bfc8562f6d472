package io.backstep.saga.state;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepKind;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

final class Draft extends DraftBase {
    Draft(SagaDefinition<?> d, SagaState st) {
        super(d, st);
    }

    void apply(SagaEvent e) {
        if (e instanceof SagaEvent.Claimed c) claimed(c);
        else if (e instanceof SagaEvent.TimePassed t) advance(t.now());
        else if (e instanceof SagaEvent.Succeeded x) {
            require(x.step(), x.phase());
            succeeded(x);
            advance(x.now());
        } else if (e instanceof SagaEvent.Rejected x) {
            require(x.step(), x.phase());
            rejected(x);
            advance(x.now());
        } else if (e instanceof SagaEvent.Failed x) {
            require(x.step(), x.phase());
            failed(x);
            advance(x.now());
        } else if (e instanceof SagaEvent.Withdrawn x) {
            require(x.step(), x.phase());
            withdrawn(x.step(), x.phase(), x.now());
        } else if (e instanceof SagaEvent.Admitted x) {
            if (due(x.step(), x.now())) begin(x.step());
            advance(x.now());
        } else if (e instanceof SagaEvent.TurnRequested x) {
            requestTurn(x.reason());
            advance(x.now());
        } else if (e instanceof SagaEvent.Stuck x) stuck(x);
        else if (e instanceof SagaEvent.Retried x) retried(x.now());
    }

    void require(int i, Phase p) {
        boolean ok = p == Phase.ACTION
                ? st(i) == StepStatus.EXECUTING
                : st(i) == StepStatus.COMPENSATING && s.get(i).notBefore() == null;
        if (!ok) throw new IllegalStateException(def(i).name() + " is " + s.get(i));
    }

    void succeeded(SagaEvent.Succeeded x) {
        int i = x.step();
        fact(i, x.phase(), s.get(i).attempt(), Outcome.SUCCEEDED, null);
        if (x.phase() == Phase.COMPENSATION) {
            set(i, StepStatus.COMPENSATED, null);
            return;
        }
        complete(i);
        if (def(i).kind() == StepKind.PIVOT) pending = null;
    }

    void complete(int i) {
        int max = s.stream().mapToInt(StepState::completed).max().orElse(0);
        StepState y = s.get(i);
        s.set(
                i,
                new StepState(
                        StepStatus.SUCCEEDED,
                        y.failures(),
                        y.interruptions(),
                        y.takeovers(),
                        y.inDoubt(),
                        max + 1,
                        null));
    }

    void rejected(SagaEvent.Rejected x) {
        int i = x.step();
        fact(i, x.phase(), s.get(i).attempt(), Outcome.REJECTED, null);
        if (x.phase() == Phase.COMPENSATION) {
            count(i, 1, 0, 0, false);
            set(i, StepStatus.COMPENSATION_FAILED, null);
            strict();
            return;
        }
        boolean definite = !s.get(i).inDoubt() || def(i).transactional();
        switch (def(i).kind()) {
            case BEST_EFFORT -> set(i, StepStatus.GIVEN_UP, null);
            case RETRIABLE -> {
                set(i, StepStatus.REJECTED, null);
                park(SagaReason.RETRIABLE_REJECTED);
            }
            case PIVOT -> {
                set(i, definite ? StepStatus.REJECTED : StepStatus.UNKNOWN, null);
                if (definite) {
                    if (status == SagaStatus.RUNNING) turn(SagaReason.REJECTED);
                } else park(SagaReason.PIVOT_UNKNOWN);
            }
            case COMPENSATABLE -> {
                set(i, definite ? StepStatus.REJECTED : StepStatus.UNKNOWN, null);
                if (status == SagaStatus.RUNNING) requestTurn(SagaReason.REJECTED);
            }
        }
    }

    void strict() {
        if (d.strictCompensation()) park(SagaReason.COMPENSATION_EXHAUSTED);
    }

    void failed(SagaEvent.Failed x) {
        int i = x.step();
        boolean comp = x.phase() == Phase.COMPENSATION;
        fact(i, x.phase(), s.get(i).attempt(), x.outcome(), null);
        boolean interrupted = x.outcome() == Outcome.INTERRUPTED;
        count(i, interrupted ? 0 : 1, interrupted ? 1 : 0, 0, !comp && !def(i).transactional());
        var policy = comp ? def(i).compensationRetry() : def(i).retry();
        boolean spent = !interrupted && (!x.retryable() || policy.spent(s.get(i).failures()));
        Duration at = interrupted
                ? x.now()
                : x.from().plus(policy.delay(Math.max(1, s.get(i).failures()), x.random()));
        if (comp) {
            if (spent) {
                set(i, StepStatus.COMPENSATION_FAILED, null);
                strict();
            } else set(i, StepStatus.COMPENSATING, at);
            return;
        }
        if (status == SagaStatus.COMPENSATING) {
            settle(i);
            return;
        }
        if (!spent) {
            set(i, StepStatus.WAITING, at);
            return;
        }
        settle(i);
        spent(i);
    }

    void spent(int i) {
        switch (def(i).kind()) {
            case BEST_EFFORT -> set(i, StepStatus.GIVEN_UP, null);
            case RETRIABLE -> park(SagaReason.RETRIABLE_EXHAUSTED);
            case PIVOT -> {
                if (st(i) == StepStatus.UNKNOWN) park(SagaReason.PIVOT_UNKNOWN);
                else turn(SagaReason.ATTEMPTS_EXHAUSTED);
            }
            case COMPENSATABLE -> requestTurn(SagaReason.ATTEMPTS_EXHAUSTED);
        }
    }

    void claimed(SagaEvent.Claimed c) {
        for (int i = 0; i < s.size(); i++) {
            boolean action = st(i) == StepStatus.EXECUTING,
                    comp = st(i) == StepStatus.COMPENSATING && s.get(i).notBefore() == null;
            if (!action && !comp) continue;
            Phase p = action ? Phase.ACTION : Phase.COMPENSATION;
            if (!c.takenOver()) {
                calls.add(new Call(i, p, s.get(i).attempt()));
                continue;
            }
            fact(i, p, s.get(i).attempt(), Outcome.TAKEN_OVER, null);
            count(i, 0, 0, 1, action && !def(i).transactional());
            boolean limit = s.get(i).takeovers() >= 5;
            if (comp) {
                if (limit) {
                    set(i, StepStatus.COMPENSATION_FAILED, null);
                    strict();
                } else set(i, StepStatus.COMPENSATING, c.now());
            } else if (limit && def(i).kind() == StepKind.BEST_EFFORT) set(i, StepStatus.GIVEN_UP, null);
            else if (limit && status == SagaStatus.RUNNING) {
                settle(i);
                park(SagaReason.TAKEOVER_LIMIT);
            } else if (status == SagaStatus.COMPENSATING) settle(i);
            else set(i, StepStatus.WAITING, c.now());
        }
        advance(c.now());
    }

    void withdrawn(int i, Phase p, Duration now) {
        if (p == Phase.COMPENSATION) set(i, StepStatus.COMPENSATING, now);
        else if (s.get(i).attempt() == 1 && !s.get(i).inDoubt()) set(i, StepStatus.PENDING, null);
        else set(i, StepStatus.WAITING, now);
    }

    void stuck(SagaEvent.Stuck x) {
        int i = x.step();
        if (i >= 0 && st(i) == StepStatus.EXECUTING) {
            if (x.reason() == SagaReason.RESULT_TOO_LARGE) {
                fact(i, Phase.ACTION, s.get(i).attempt(), Outcome.SUCCEEDED, null);
                complete(i);
            } else withdrawn(i, Phase.ACTION, x.now());
        }
        park(x.reason());
    }

    void retried(Duration now) {
        if (status != SagaStatus.FAILED) throw new IllegalStateException("is " + status);
        status = turned != null ? SagaStatus.COMPENSATING : SagaStatus.RUNNING;
        parked = null;
        deadline = null;
        fact(-1, Phase.SAGA, 0, Outcome.RESUMED, null);
        for (int i = 0; i < s.size(); i++) {
            StepStatus x = st(i);
            if (turned != null) {
                if (x == StepStatus.COMPENSATION_FAILED) {
                    set(i, s.get(i).completed() > 0 ? StepStatus.SUCCEEDED : StepStatus.UNKNOWN, null);
                    fresh(i);
                } else if (x == StepStatus.COMPENSATING) {
                    fresh(i);
                    set(i, x, now);
                }
            } else if (x == StepStatus.UNKNOWN
                    || x == StepStatus.REJECTED
                    || x == StepStatus.WAITING
                    || (x == StepStatus.GIVEN_UP && def(i).kind() != StepKind.BEST_EFFORT)) {
                fresh(i);
                set(i, StepStatus.WAITING, now);
            }
        }
        advance(now);
    }

    boolean ready(int i) {
        return def(i).waitsFor().stream().allMatch(n -> done(d.indexOf(n)));
    }

    boolean due(int i, Duration now) {
        Duration nb = s.get(i).notBefore();
        boolean t = nb == null || nb.compareTo(now) <= 0;
        return switch (st(i)) {
            case PENDING, WAITING -> status == SagaStatus.RUNNING && t && ready(i);
            case COMPENSATING -> status == SagaStatus.COMPENSATING && nb != null && t;
            default -> false;
        };
    }

    void begin(int i) {
        Phase p = st(i) == StepStatus.COMPENSATING ? Phase.COMPENSATION : Phase.ACTION;
        set(i, p == Phase.ACTION ? StepStatus.EXECUTING : StepStatus.COMPENSATING, null);
        calls.add(new Call(i, p, s.get(i).attempt()));
    }

    void tryBegin(int i) {
        if (s.get(i).takeovers() >= 2) suspects.add(i);
        else begin(i);
    }

    void advance(Duration now) {
        int p = pivot();
        if (status == SagaStatus.RUNNING && pending != null && !pivotOpen() && p >= 0 && !done(p)) turn(pending);
        if (status == SagaStatus.RUNNING && deadline != null && now.compareTo(deadline) >= 0)
            requestTurn(SagaReason.DEADLINE_EXCEEDED);
        if (status == SagaStatus.RUNNING) {
            if (IntStream.range(0, s.size()).allMatch(this::done)) {
                status = SagaStatus.COMPLETED;
                fact(-1, Phase.SAGA, 0, Outcome.ENDED, null);
                return;
            }
            for (int i = 0; i < s.size(); i++) if (due(i, now)) tryBegin(i);
        } else if (status == SagaStatus.COMPENSATING) compensate(now);
    }

    void compensate(Duration now) {
        for (int i = 0; i < s.size(); i++) if (st(i) == StepStatus.EXECUTING) return;
        for (int i = 0; i < s.size(); i++)
            if (st(i) == StepStatus.COMPENSATING) {
                if (due(i, now)) tryBegin(i);
                return;
            }
        for (int i : compensationOrder())
            if (st(i) == StepStatus.SUCCEEDED || st(i) == StepStatus.UNKNOWN) {
                fresh(i);
                set(i, StepStatus.COMPENSATING, null);
                calls.add(new Call(i, Phase.COMPENSATION, 1));
                return;
            }
        for (int i = 0; i < s.size(); i++)
            if (def(i).kind() == StepKind.COMPENSATABLE
                    && def(i).compensation() == null
                    && (st(i) == StepStatus.SUCCEEDED || st(i) == StepStatus.UNKNOWN))
                fact(i, Phase.COMPENSATION, 0, Outcome.SKIPPED, null);
        if (s.stream().anyMatch(x -> x.status() == StepStatus.COMPENSATION_FAILED))
            park(SagaReason.COMPENSATION_EXHAUSTED);
        else {
            status = SagaStatus.COMPENSATED;
            fact(-1, Phase.SAGA, 0, Outcome.ENDED, null);
        }
    }

    List<Integer> compensationOrder() {
        return IntStream.range(0, s.size())
                .filter(i -> def(i).compensation() != null
                        && switch (st(i)) {
                            case SUCCEEDED, UNKNOWN, COMPENSATING, COMPENSATED, COMPENSATION_FAILED -> true;
                            default -> false;
                        })
                .boxed()
                .sorted(Comparator.comparingInt((Integer i) -> s.get(i).completed() == 0
                                ? Integer.MAX_VALUE
                                : s.get(i).completed())
                        .thenComparingInt(i -> i)
                        .reversed())
                .toList();
    }

    @Nullable
    Duration wakeAt() {
        if (!status.active()) return null;
        Duration least = s.stream()
                .map(StepState::notBefore)
                .filter(x -> x != null)
                .min(Comparator.naturalOrder())
                .orElse(null);
        if (status == SagaStatus.RUNNING
                && deadline != null
                && !decided()
                && !pivotOpen()
                && pending == null
                && (least == null || deadline.compareTo(least) < 0)) least = deadline;
        return least;
    }
}
