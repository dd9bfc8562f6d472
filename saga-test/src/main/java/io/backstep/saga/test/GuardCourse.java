package io.backstep.saga.test;

import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.ConfirmationAnswer;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.test.GuardFixture.Booked;
import io.backstep.saga.test.GuardFixture.Planned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** One interleaving: runs it, and looks at all that it has come to. */
final class GuardCourse {
    /** Two actions, two compensations, a confirmation. */
    static final int CALLS = 5;

    /** Within which nothing is purged. */
    private static final Duration RETENTION = Duration.ofHours(1);

    private static final int ACTIONS = 2;
    private static final int CONFIRMATION = 4;
    /** How long a call is given to come to its gate; one that waits for another does not come there. */
    private static final long A_MOMENT_MILLIS = 2;

    enum Kind {
        BOOKED,
        REFUSED,
        NOTHING,
        CONFIRMED,
        DONE,
        DUPLICATE,
        EMPTY,
        BUSY,
        ROLLED_BACK,
        BROKEN
    }

    /** What a call was answered, and when it was made, on a clock of its own. */
    record Heard(Kind kind, String result, int begun, int ended) {}

    private final class Caller {
        final int number;
        final boolean commits;
        final boolean joined;
        final CountDownLatch arrived = new CountDownLatch(1);
        final CountDownLatch gate = new CountDownLatch(1);
        private CompletableFuture<Heard> heard = new CompletableFuture<>();

        Caller(int number, boolean commits, boolean joined) {
            this.number = number;
            this.commits = commits;
            this.joined = joined;
        }

        boolean acts() {
            return number < ACTIONS;
        }

        void begin() throws InterruptedException {
            heard = Together.start(() -> heard(this::call));
            heard.whenComplete((answer, failure) -> arrived.countDown());
            arrived.await(A_MOMENT_MILLIS, TimeUnit.MILLISECONDS);
        }

        void end() {
            boolean there = arrived.getCount() == 0;
            gate.countDown();
            if (there) {
                Answer.await(heard);
            }
        }

        private Object call() throws Exception {
            return joined
                    ? contract.transactions().inTransaction(() -> passed(call(this::write)))
                    : call(() -> passed(write()));
        }

        private Object call(Callable<Booked> effect) throws Exception {
            if (acts()) {
                return guard.action(id, effect);
            }
            return number == CONFIRMATION
                    ? guard.confirmation(id, recorded -> effect.call())
                    : guard.compensation(id, recorded -> effect.call());
        }

        private Booked write() {
            contract.write(id, (acts() ? "did " : number == CONFIRMATION ? "confirmed " : "undid ") + number);
            return new Booked("" + number);
        }

        private <T> T passed(T result) throws InterruptedException {
            arrived.countDown();
            gate.await(60, TimeUnit.SECONDS);
            if (!commits) {
                throw new Planned();
            }
            return result;
        }
    }

    private final GuardContract contract;
    private final ParticipantGuards guards;
    private final ParticipantGuard<Booked> guard;
    private final List<Integer> order;
    private final int purgeAt;
    private final String id = UUID.randomUUID() + ":course";
    private final String old = id + ":old";
    private final List<Caller> callers = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final AtomicInteger clock = new AtomicInteger();

    /**
     * Outcomes and transactions are bits: of committed calls, and of those in a transaction of the caller's. The purge comes before so many of
     * the beginnings and ends.
     */
    GuardCourse(GuardContract contract, List<Integer> order, int purgeAt, int commits, int joined) {
        this.contract = contract;
        this.guards = new ParticipantGuards(contract.store(), contract.transactions());
        this.guard = guards.guard(GuardFixture.BOOK);
        this.order = order;
        this.purgeAt = purgeAt;
        for (int call = 0; call < CALLS; call++) {
            callers.add(new Caller(call, (commits >> call & 1) == 1, (joined >> call & 1) == 1));
        }
    }

    List<String> run() {
        try {
            guard.action(old, () -> new Booked("old"));
            contract.age(old, RETENTION.plusMinutes(1));
            boolean[] begun = new boolean[CALLS];
            for (int at = 0; at < order.size(); at++) {
                if (at == purgeAt) {
                    guards.purge(RETENTION);
                }
                int call = order.get(at);
                if (begun[call]) {
                    callers.get(call).end();
                } else {
                    begun[call] = true;
                    callers.get(call).begin();
                }
            }
            List<Heard> heard =
                    callers.stream().map(caller -> Answer.await(caller.heard)).toList();
            judge(heard);
            Heard forgotten = heard(() -> guard.compensation(old, recorded -> {}));
            check(forgotten.kind() == Kind.EMPTY, "what is older than the retention is kept: " + forgotten);
        } catch (Exception | AssertionError e) {
            wrong.add("it broke: " + e);
        }
        return wrong.stream().map(what -> what + "; " + order + " " + answers).toList();
    }

    List<String> answers() {
        return answers;
    }

    private Heard heard(Callable<?> call) {
        int begun = clock.incrementAndGet();
        Kind kind;
        String result = "";
        try {
            Object answer = call.call();
            kind = kind(answer);
            result = answer.toString();
        } catch (Planned e) {
            kind = Kind.ROLLED_BACK;
        } catch (OperationRefusedException e) {
            kind = e.code().equals("SAGA-GRD-011") ? Kind.NOTHING : Kind.REFUSED;
        } catch (OperationBusyException e) {
            kind = Kind.BUSY;
            result = e.transactionLost() ? "lost" : "later";
        } catch (Throwable e) {
            kind = Kind.BROKEN;
            result = e.toString();
        }
        return new Heard(kind, result, begun, clock.incrementAndGet());
    }

    private static Kind kind(Object answer) {
        if (answer instanceof CompensationAnswer undone) {
            return Kind.valueOf(undone.name());
        }
        return answer instanceof ConfirmationAnswer ? Kind.CONFIRMED : Kind.BOOKED;
    }

    private void judge(List<Heard> heard) {
        for (int call = 0; call < CALLS; call++) {
            Heard each = heard.get(call);
            String joined = each.kind() == Kind.BUSY && callers.get(call).joined ? " joined" : "";
            answers.add(each.kind() + (each.kind() == Kind.BUSY ? " " + each.result() + joined : ""));
            boolean escaped = each.kind() == Kind.BUSY && !callers.get(call).joined;
            check(!escaped, "a lock or a deadlock has reached the caller");
            check(each.kind() != Kind.BROKEN, each.result());
        }
        new GuardJudgement(
                        heard.subList(0, ACTIONS),
                        heard.subList(ACTIONS, CONFIRMATION),
                        heard.get(CONFIRMATION),
                        contract.written(id),
                        this::check)
                .judge();
        afterwards(heard);
    }

    /** Once all is over the answers are what they were, and a last compensation leaves nothing unless it is confirmed. */
    private void afterwards(List<Heard> heard) {
        boolean confirmed = heard.get(CONFIRMATION).kind() == Kind.CONFIRMED;
        boolean cancelled = heard.get(CONFIRMATION).kind() == Kind.NOTHING && !callers.get(CONFIRMATION).joined;
        boolean undone = cancelled || heard.stream().anyMatch(each -> GuardJudgement.UNDONE.contains(each.kind()));
        boolean done = heard.stream().anyMatch(each -> each.kind() == Kind.BOOKED);
        Heard action = heard(() -> guard.action(id, callers.get(0)::write));
        check(action.kind() == (undone ? Kind.REFUSED : Kind.BOOKED), "then an action was answered " + action);
        if (done && !undone) {
            Heard first = heard.stream()
                    .filter(each -> each.kind() == Kind.BOOKED)
                    .findFirst()
                    .orElseThrow();
            check(action.result().equals(first.result()), "the first result is not given again");
        }
        if (confirmed) {
            confirmedFor(done);
            return;
        }
        Heard last = heard(
                () -> guard.compensation(id, recorded -> callers.get(ACTIONS).write()));
        check(last.kind() == (undone ? Kind.DUPLICATE : Kind.DONE), "then a compensation was answered " + last);
        check(heard(() -> guard.action(id, callers.get(0)::write)).kind() == Kind.REFUSED, "then it is not refused");
        long did = contract.written(id).stream()
                .filter(what -> what.startsWith("did"))
                .count();
        check(2 * did == contract.written(id).size(), "something is left: " + contract.written(id));
    }

    private void confirmedFor(boolean done) {
        Heard again = heard(() ->
                guard.confirmation(id, recorded -> callers.get(CONFIRMATION).write()));
        check(done && again.kind() == Kind.CONFIRMED, "then a confirmation was answered " + again);
        Heard last = heard(
                () -> guard.compensation(id, recorded -> callers.get(ACTIONS).write()));
        check(last.kind() == Kind.REFUSED, "then a compensation of what is confirmed was answered " + last);
        check(contract.written(id).size() == 2, "more than the effect and its confirmation: " + contract.written(id));
    }

    private void check(boolean right, String what) {
        if (!right) {
            wrong.add(what);
        }
    }
}
