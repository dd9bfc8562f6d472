package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.messaging.FailedMessage;
import io.backstep.saga.messaging.OutboxBacklog;
import io.backstep.saga.messaging.OutboxBatch;
import io.backstep.saga.messaging.OutboxMark;
import io.backstep.saga.messaging.OutboxMark.Kind;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.messaging.OutboxRow;
import io.backstep.saga.messaging.OutboxStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing is lost, invented or overtaken in many courses, and they would tell. */
class OutboxCourseTest {
    private static final int MANY = 200;

    enum Bug {
        MARKED_BEFORE_IT_IS_SENT,
        HELD_BACK_AGGREGATE_SKIPPED,
        ORDER_BY_ID_ALONE
    }

    private static List<Long> wrong(int seeds, UnaryOperator<OutboxStore> around) {
        return LongStream.range(0, seeds)
                .filter(seed -> !OutboxCourse.run(seed, around).isEmpty())
                .boxed()
                .toList();
    }

    @Test
    void what_is_committed_leaves_in_order_whatever_happens() {
        for (long seed = 0; seed < MANY; seed++) {
            assertThat(OutboxCourse.run(seed, UnaryOperator.identity()))
                    .as("seed " + seed)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Bug.class)
    void a_planted_bug_is_found(Bug bug) {
        List<Long> wrong = wrong(30, store -> new Planted(bug, store));

        System.out.println(bug + ": " + wrong.size() + " wrong of 30, first "
                + wrong.stream().findFirst().orElse(null));
        assertThat(wrong).isNotEmpty();
    }

    /** Does everything right but for one thing. */
    private static final class Planted implements OutboxStore {
        private final Bug bug;
        private final OutboxStore right;
        private final Set<Long> skippedOnce = new HashSet<>();
        private final Map<Integer, Long> last = new HashMap<>();

        Planted(Bug bug, OutboxStore right) {
            this.bug = bug;
            this.right = right;
        }

        @Override
        public void insert(UUID id, OutboxMessage message) {
            right.insert(id, message);
        }

        @Override
        public Optional<OutboxBatch> claim(String owner, Duration lease, int limit) {
            Optional<OutboxBatch> claimed = right.claim(owner, lease, limit);
            return switch (bug) {
                case MARKED_BEFORE_IT_IS_SENT -> claimed.map(this::marked);
                case HELD_BACK_AGGREGATE_SKIPPED -> claimed.flatMap(this::withoutSkipped);
                case ORDER_BY_ID_ALONE -> claimed.flatMap(this::afterTheLast);
            };
        }

        private OutboxBatch marked(OutboxBatch batch) {
            right.settle(batch, batch.rows().stream().map(OutboxFixture::sent).toList());
            return batch;
        }

        private Optional<OutboxBatch> withoutSkipped(OutboxBatch batch) {
            return only(
                    batch,
                    batch.rows().stream()
                            .filter(row -> !skippedOnce.remove(row.position()))
                            .toList());
        }

        private Optional<OutboxBatch> afterTheLast(OutboxBatch batch) {
            long before = last.getOrDefault(batch.lane(), 0L);
            List<OutboxRow> rows = batch.rows().stream()
                    .filter(row -> row.position() >= before)
                    .toList();
            rows.forEach(row -> last.merge(batch.lane(), row.position(), Math::max));
            return only(batch, rows);
        }

        private Optional<OutboxBatch> only(OutboxBatch batch, List<OutboxRow> rows) {
            if (rows.isEmpty()) {
                right.settle(batch, List.of());
                return Optional.empty();
            }
            return Optional.of(new OutboxBatch(batch.lane(), batch.epoch(), rows));
        }

        @Override
        public boolean settle(OutboxBatch batch, List<OutboxMark> marks) {
            return switch (bug) {
                case MARKED_BEFORE_IT_IS_SENT -> true;
                case HELD_BACK_AGGREGATE_SKIPPED -> {
                    marks.stream()
                            .filter(mark -> mark.kind() == Kind.RETRY)
                            .forEach(mark -> skippedOnce.add(mark.position()));
                    yield right.settle(
                            batch,
                            marks.stream()
                                    .filter(mark -> mark.kind() == Kind.SENT)
                                    .toList());
                }
                case ORDER_BY_ID_ALONE -> right.settle(batch, marks);
            };
        }

        @Override
        public OutboxBacklog backlog() {
            return right.backlog();
        }

        @Override
        public List<FailedMessage> failed(int limit) {
            return right.failed(limit);
        }

        @Override
        public boolean requeue(UUID id) {
            return right.requeue(id);
        }

        @Override
        public boolean discard(UUID id) {
            return right.discard(id);
        }

        @Override
        public int purge(Duration age, int limit) {
            return right.purge(age, limit);
        }
    }
}
