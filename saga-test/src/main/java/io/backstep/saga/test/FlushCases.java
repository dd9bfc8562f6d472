package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InsertResult.Kind;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Written;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Progress and starts in one flush: none harms another, and each has its own answer. */
abstract class FlushCases extends StoreCases {
    FlushCases(SagaStoreContract contract) {
        super(contract);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0, 1", "1, 0", "1, 1", "1, 7", "7, 1", "60, 60"})
    void progress_and_starts_are_written_together(int progress, int starts) {
        List<Mutation> mutations = Stream.generate(this::startedByA)
                .limit(progress)
                .map(id -> write(id, 1, 0, succeeded("a", "1")))
                .toList();
        List<NewInstance> sagas =
                Stream.generate(() -> owned(LEASE_A)).limit(starts).toList();

        Written written = write(mutations, sagas);

        assertThat(written.progress()).hasSize(progress).allMatch(Acceptance.ACCEPTED::equals);
        assertThat(written.starts()).hasSize(starts).allMatch(InsertResult.INSERTED::equals);
        assertThat(mutations).allSatisfy(mutation -> {
            assertThat(row(mutation.fence().sagaId()).seq()).isEqualTo(1);
            assertThat(store().history(mutation.fence().sagaId())).hasSize(1);
        });
        assertThat(sagas).allSatisfy(saga -> {
            assertThat(row(saga.sagaId()).epoch()).isEqualTo(1);
            assertThat(row(saga.sagaId()).owner()).isEqualTo(LEASE_A.owner());
            assertThat(row(saga.sagaId()).input()).isEqualTo(saga.input());
        });
    }

    @Test
    void what_is_stale_or_there_already_harms_nobody() {
        UUID fine = startedByA();
        UUID taken = startedByA();
        UUID before = startedByA();
        NewInstance again = saga(before, definition, null, SagaStatus.RUNNING, LEASE_B);
        NewInstance start = owned(LEASE_A);

        Written written = write(
                List.of(write(taken, 1, 5, succeeded("a", "1")), write(fine, 1, 0, succeeded("a", "1"))),
                List.of(again, start));

        assertThat(written.progress()).containsExactly(Acceptance.STALE, Acceptance.ACCEPTED);
        assertThat(written.starts()).extracting(InsertResult::kind).containsExactly(Kind.EXISTS, Kind.INSERTED);
        assertThat(written.starts().get(0).existing()).isEqualTo(row(before));
        assertThat(store().history(taken)).isEmpty();
        assertThat(row(fine).seq()).isEqualTo(1);
        assertThat(row(before).owner()).isEqualTo(LEASE_A.owner());
        assertThat(store().find(start.sagaId())).isPresent();
    }

    @Test
    void with_all_progress_stale_the_starts_are_made() {
        NewInstance start = owned(LEASE_A);

        Written written = write(List.of(write(UUID.randomUUID(), 1, 0, succeeded("a", "1"))), List.of(start));

        assertThat(written.progress()).containsExactly(Acceptance.STALE);
        assertThat(written.starts()).containsExactly(InsertResult.INSERTED);
        assertThat(row(start.sagaId()).epoch()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"0, -1", "-1, 0", "0, 0", "6, 6", "3, 2"})
    void what_the_database_refuses_is_refused_alone(int badWrite, int badStart) {
        List<UUID> ids = Stream.generate(this::startedByA).limit(7).toList();
        List<Mutation> mutations = IntStream.range(0, 7)
                .mapToObj(i -> i == badWrite ? unfit(ids.get(i)) : write(ids.get(i), 1, 0, succeeded("a", "1")))
                .toList();
        List<NewInstance> starts = IntStream.range(0, 7)
                .mapToObj(i -> i == badStart ? keyed("k".repeat(201)) : owned(LEASE_A))
                .toList();

        Written written = write(mutations, starts);

        for (int i = 0; i < 7; i++) {
            assertThat(written.progress().get(i).kind())
                    .as("progress %s", i)
                    .isEqualTo(i == badWrite ? Acceptance.Kind.REFUSED : Acceptance.Kind.ACCEPTED);
            assertThat(row(ids.get(i)).seq()).isEqualTo(i == badWrite ? 0 : 1);
            assertThat(store().history(ids.get(i))).hasSize(i == badWrite ? 0 : 1);
            assertThat(written.starts().get(i).kind())
                    .as("start %s", i)
                    .isEqualTo(i == badStart ? Kind.REFUSED : Kind.INSERTED);
            assertThat(store().find(starts.get(i).sagaId()).isPresent()).isEqualTo(i != badStart);
        }
    }

    @Test
    void a_locked_row_stalls_neither_progress_nor_starts() {
        UUID locked = startedByA();
        UUID free = startedByA();
        NewInstance start = owned(LEASE_A);

        contract.withRowLocked(locked, () -> {
            Written written = write(
                    List.of(write(locked, 1, 0, succeeded("a", "1")), write(free, 1, 0, succeeded("a", "1"))),
                    List.of(start));

            assertThat(written.progress()).containsExactly(Acceptance.LOCKED, Acceptance.ACCEPTED);
            assertThat(written.starts()).containsExactly(InsertResult.INSERTED);
        });

        assertThat(store().history(locked)).isEmpty();
        assertThat(store().history(free)).hasSize(1);
        assertThat(row(start.sagaId()).epoch()).isEqualTo(1);
    }
}
