package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.participant.Aging;
import io.backstep.saga.participant.GuardCall;
import io.backstep.saga.participant.GuardRow;
import io.backstep.saga.participant.GuardState;
import io.backstep.saga.participant.GuardStore;
import io.backstep.saga.participant.InMemoryGuardStore;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InMemoryTransactions;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whether the interleavings find the bugs that guards of others have had. */
class GuardMutantsTest {
    private static final int MANY = 200;

    enum Bug {
        EMPTY_COMPENSATION_NOT_RECORDED,
        ROW_DELETED_ON_CONFLICT,
        ACTION_AFTER_COMPENSATION_LET_THROUGH,
        DUPLICATE_COMPENSATION_RUN_AGAIN,
        CONFIRMATION_AFTER_COMPENSATION_LET_THROUGH,
        COMPENSATION_AFTER_CONFIRMATION_LET_THROUGH,
        ROW_WRITTEN_OUTSIDE_THE_TRANSACTION,
        RESULT_NOT_STORED,
        YOUNG_ROW_PURGED,
        NOTHING_PURGED
    }

    @ParameterizedTest
    @EnumSource(Bug.class)
    void a_planted_bug_is_found(Bug bug) {
        GuardInterleavings.Summary summary = new GuardInterleavings(new Planted(bug)).run(MANY);

        System.out.println(bug + ": " + summary.wrong().size() + " wrong of " + MANY + ", first "
                + summary.wrong().stream().findFirst().orElse("none"));
        assertThat(summary.wrong()).isNotEmpty();
    }

    private static final class Planted extends GuardContract {
        private final InMemoryTransactions transactions = new InMemorySagaStore().transactions();
        private final PlantedStore store;
        private final Map<String, List<String>> written = new ConcurrentHashMap<>();

        Planted(Bug bug) {
            this.store = new PlantedStore(bug, transactions);
        }

        @Override
        protected GuardStore store() {
            return store;
        }

        @Override
        protected Transactions transactions() {
            return transactions;
        }

        @Override
        protected void write(String operationId, String what) {
            transactions.onCommit(() -> written.computeIfAbsent(operationId, unused -> new CopyOnWriteArrayList<>())
                    .add(what));
        }

        @Override
        protected List<String> written(String operationId) {
            return written.getOrDefault(operationId, List.of());
        }

        @Override
        protected void age(String operationId, Duration by) {
            store.age(operationId, by);
        }
    }

    /** Forgets a row by going on under another id. */
    private static final class PlantedStore implements GuardStore {
        private final Bug bug;
        private final InMemoryTransactions transactions;
        private final InMemoryGuardStore right;
        private final Map<String, Integer> generations = new ConcurrentHashMap<>();
        private final Set<String> seen = ConcurrentHashMap.newKeySet();

        PlantedStore(Bug bug, InMemoryTransactions transactions) {
            this.bug = bug;
            this.transactions = transactions;
            this.right = new InMemoryGuardStore(transactions, Instant::now);
        }

        private GuardCall known(GuardCall call) {
            seen.add(call.operationId());
            return new GuardCall(
                    named(call.operationId()),
                    call.operation(),
                    call.token(),
                    call.whenNew(),
                    call.whenTaken(),
                    call.limit(),
                    call.joined());
        }

        private String named(String operationId) {
            return operationId + generations.getOrDefault(operationId, 0);
        }

        void age(String operationId, Duration by) {
            Aging.age(right, named(operationId), by);
        }

        private void forget(String operationId) {
            generations.merge(operationId, 1, Integer::sum);
        }

        private GuardRow outside(GuardCall call) {
            try {
                return transactions.inTransaction(() -> right.action(known(call)));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public GuardRow action(GuardCall call) {
            GuardRow row = bug == Bug.ROW_WRITTEN_OUTSIDE_THE_TRANSACTION ? outside(call) : right.action(known(call));
            boolean conflict = !row.token().equals(call.token());
            if (conflict && bug == Bug.ROW_DELETED_ON_CONFLICT) {
                forget(call.operationId());
            }
            if (row.state().refusesActions() && bug == Bug.ACTION_AFTER_COMPENSATION_LET_THROUGH) {
                return new GuardRow(row.operation(), GuardState.DONE, call.token(), row.result());
            }
            return row;
        }

        @Override
        public GuardRow compensation(GuardCall call) {
            GuardRow row = right.compensation(known(call));
            boolean first = row.token().equals(call.token());
            if (first && row.state() == GuardState.CANCELLED && bug == Bug.EMPTY_COMPENSATION_NOT_RECORDED) {
                forget(call.operationId());
            }
            if (!first && bug == Bug.DUPLICATE_COMPENSATION_RUN_AGAIN) {
                return new GuardRow(row.operation(), GuardState.COMPENSATED, call.token(), row.result());
            }
            if (row.state().refusesCompensations() && bug == Bug.COMPENSATION_AFTER_CONFIRMATION_LET_THROUGH) {
                return new GuardRow(row.operation(), GuardState.COMPENSATED, call.token(), row.result());
            }
            return row;
        }

        @Override
        public GuardRow confirmation(GuardCall call) {
            GuardRow row = right.confirmation(known(call));
            if (row.state() == GuardState.COMPENSATED && bug == Bug.CONFIRMATION_AFTER_COMPENSATION_LET_THROUGH) {
                return new GuardRow(row.operation(), GuardState.CONFIRMED, call.token(), row.result());
            }
            return row;
        }

        @Override
        public boolean settle(String operationId, UUID token, GuardState from, GuardState to, @Nullable String result) {
            String kept = bug == Bug.RESULT_NOT_STORED ? null : result;
            return right.settle(named(operationId), token, from, to, kept)
                    || bug == Bug.ACTION_AFTER_COMPENSATION_LET_THROUGH;
        }

        @Override
        public boolean isKept(String operationId, UUID token, GuardState state) {
            return right.isKept(named(operationId), token, state);
        }

        @Override
        public int purge(Duration age, int limit) {
            return switch (bug) {
                case YOUNG_ROW_PURGED -> {
                    seen.forEach(this::forget);
                    yield 0;
                }
                case NOTHING_PURGED -> 0;
                default -> right.purge(age, limit);
            };
        }
    }
}
