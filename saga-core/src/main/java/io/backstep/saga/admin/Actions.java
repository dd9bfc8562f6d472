package io.backstep.saga.admin;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.Shown;
import io.backstep.saga.admin.SagaAdminException.Kind;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.engine.StoredSaga;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.AuditRow;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.SagaStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Does what is asked for: reads, decides, writes with the audit row in one transaction; again when the saga changed in between. */
final class Actions {
    private static final int MAX_TRIES = 10;

    private final Operators operators;

    Actions(Operators operators) {
        this.operators = operators;
    }

    AdminAnswer act(Wish wish) {
        if (operators.transactions().isActive()) {
            throw SagaAdminException.insideTransaction(
                    wish.sagaId(), wish.action().code());
        }
        try {
            return actNow(wish);
        } catch (SagaAdminException refused) {
            // the same request may have been accepted between the look at the audit and the look at the saga
            return repeated(wish).orElseThrow(() -> refused);
        }
    }

    private AdminAnswer actNow(Wish wish) {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            int before = tries;
            Optional<AdminAnswer> answer = repeated(wish).or(() -> attempt(wish, before));
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        throw SagaAdminException.changing(wish.sagaId(), MAX_TRIES);
    }

    /** The same request was accepted before: the same answer, no second effect. */
    private Optional<AdminAnswer> repeated(Wish wish) {
        String key = wish.request().requestKey();
        if (key == null) {
            return Optional.empty();
        }
        return store().audit(new AuditQuery(wish.sagaId(), key, null, 1)).stream()
                .findFirst()
                .map(AuditRow::entry)
                .map(entry -> {
                    if (!wish.isOf(entry)) {
                        throw new SagaAdminException(
                                Kind.NOT_ALLOWED,
                                "SAGA-ADMIN-006",
                                "the request key " + Shown.quoted(key) + " was used for " + entry.action() + " of saga "
                                        + wish.sagaId() + " (" + entry.after()
                                        + "); each request needs a key of its own",
                                List.of());
                    }
                    return wish.answer(entry.accepted(), entry.before(), entry.after());
                });
    }

    /** Empty when the saga has changed since it was read. */
    private Optional<AdminAnswer> attempt(Wish wish, int tries) {
        Inspected found = store().inspect(wish.sagaId()).orElseThrow(() -> SagaAdminException.unknown(wish.sagaId()));
        Seen seen = Seen.of(operators, found);
        checkVersion(seen, wish.request());
        Ruling ruling = Rules.rule(wish, seen);
        if (ruling instanceof Ruling.Write write) {
            return write(wish, seen, write, tries);
        }
        if (ruling instanceof Ruling.Post post) {
            return post(wish, seen, post.kind(), tries);
        }
        throw refused(wish.action(), seen, (Ruling.Refuse) ruling);
    }

    private static SagaAdminException refused(AdminAction action, Seen seen, Ruling.Refuse refused) {
        List<AdminAction> allowed = Rules.allowed(seen);
        return new SagaAdminException(
                Kind.NOT_ALLOWED,
                refused.code(),
                action.code() + " is not possible: saga " + seen.row().sagaId() + " is " + seen.shown() + "; "
                        + refused.why() + "; allowed now: " + shown(allowed),
                allowed);
    }

    private static String shown(List<AdminAction> allowed) {
        return allowed.isEmpty()
                ? "nothing"
                : String.join(", ", allowed.stream().map(AdminAction::code).toList());
    }

    private static void checkVersion(Seen seen, AdminRequest request) {
        String expected = request.version();
        if (expected != null && !expected.equals(seen.version())) {
            throw new SagaAdminException(
                    Kind.STALE,
                    "SAGA-ADMIN-005",
                    "saga " + seen.row().sagaId() + " has version " + seen.version() + " by now, not "
                            + Shown.quoted(expected) + "; look again",
                    Rules.allowed(seen));
        }
    }

    private Optional<AdminAnswer> write(Wish wish, Seen seen, Ruling.Write ruling, int tries) {
        StoredSaga.Change change = change(wish, seen, ruling);
        Mutation mutation = change == null ? blindEnd(seen) : change.mutation();
        String before = seen.shown() + wish.before(seen);
        String after = Seen.shown(mutation.status(), mutation.reason()) + wish.after();
        boolean retry = wish.action() == AdminAction.RETRY || wish.action() == AdminAction.RETRY_COMPENSATION;
        OperatorWrite write = new OperatorWrite(mutation, wish.request().force(), retry);
        AuditEntry entry = entry(wish, seen, before, after, ruling.pending());
        boolean done = inTransaction(tries, () -> {
            if (store().operate(write) != Operated.DONE) {
                return false;
            }
            if (!store().audit(entry)) {
                throw new KeyTakenException();
            }
            return true;
        });
        if (!done) {
            return Optional.empty();
        }
        tell(seen, change);
        return Optional.of(wish.answer(ruling.pending(), before, after));
    }

    private StoredSaga.@Nullable Change change(Wish wish, Seen seen, Ruling.Write ruling) {
        StoredSaga stored = seen.stored();
        if (stored == null || ruling.events() == null) {
            return null;
        }
        Map<String, String> results = operators.results(wish.sagaId());
        Verdict verdict = wish.verdict();
        if (verdict == null) {
            return stored.after(ruling.events(), results);
        }
        String result = Verdicts.result(operators, seen, stored, verdict);
        return stored.resolved(ruling.events(), results, result, wish.note());
    }

    /** What this node cannot read it leaves as it is. */
    private Mutation blindEnd(Seen seen) {
        return new Mutation(
                new Fence(seen.row().sagaId(), seen.row().epoch(), seen.row().seq()),
                SagaStatus.FORCE_COMPLETED,
                null,
                null,
                Hold.END,
                List.of(operators.ended()),
                List.of());
    }

    private void tell(Seen seen, StoredSaga.@Nullable Change change) {
        StoredSaga stored = seen.stored();
        if (change != null && stored != null) {
            operators.written(stored, change, seen.now());
        } else {
            operators.written(seen.row().sagaId());
        }
    }

    /** Asked for once is enough: a second wish is told so, and has no row in the audit. */
    private Optional<AdminAnswer> post(Wish wish, Seen seen, Mail.Kind kind, int tries) {
        String asked = wish.action().code();
        String after = seen.shown() + ", " + asked + " waits";
        Mail mail = new Mail(wish.sagaId(), asked, kind, wish.request().reason());
        boolean done = inTransaction(tries, () -> {
            if (!store().post(mail)) {
                throw refused(
                        wish.action(),
                        seen,
                        new Ruling.Refuse("SAGA-ADMIN-002", "that was asked for before, and waits"));
            }
            if (!store().audit(entry(wish, seen, seen.shown(), after, true))) {
                throw new KeyTakenException();
            }
            return true;
        });
        if (!done) {
            return Optional.empty();
        }
        operators.posted(seen.row());
        return Optional.of(wish.answer(true, seen.shown(), after));
    }

    private AuditEntry entry(Wish wish, Seen seen, String before, String after, boolean pending) {
        AdminRequest request = wish.request();
        return new AuditEntry(
                wish.sagaId(),
                wish.action().code(),
                request.actor(),
                request.reason(),
                request.force() && seen.found().held(),
                before,
                after,
                pending,
                request.requestKey(),
                operators.nodeId());
    }

    /** False when it must be decided again: the same request was accepted a moment ago, or the database wants it repeated. */
    private boolean inTransaction(int tries, Callable<Boolean> work) {
        try {
            return operators.transactions().inTransaction(work);
        } catch (KeyTakenException e) {
            return false;
        } catch (RuntimeException e) {
            if (operators.isWorthAnother(e, tries + 1)) {
                return false;
            }
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private SagaStore store() {
        return operators.store();
    }

    /** Rolls back. */
    private static final class KeyTakenException extends Exception {
        private static final long serialVersionUID = 1L;

        private KeyTakenException() {
            super(null, null, false, false);
        }
    }
}
