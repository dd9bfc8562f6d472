package io.backstep.saga.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.benchmarks.Contender.End;
import io.backstep.saga.benchmarks.Contender.Tally;
import io.backstep.saga.testsupport.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each contender does its work, alone and side by side. */
class ContendersIT {
    private static final int SAGAS = 20;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(Contenders.class)
    void each_contender_ends_its_sagas_as_it_must(Contenders contender) throws Exception {
        Server database = database();
        long before = 0;
        for (String name : List.of("KB1:4", "W2:4", "TX:4")) {
            Workload workload = Workload.of(name);
            if (contender.runs(workload)) {
                try (Contender running = contender.open(database, workload.kind())) {
                    assertThat(ends(running, new Orders(workload.bytes())))
                            .containsOnly(workload.kind().end());
                    Tally after = running.tally();
                    assertThat(after.open()).isZero();
                    boolean keepsNothing = contender == Contenders.DB_SCHEDULER;
                    before = (keepsNothing ? 0 : before) + SAGAS;
                    assertThat(after.completed() + after.compensated()).isEqualTo(before);
                }
            }
        }
    }

    private static List<End> ends(Contender contender, Orders orders) throws Exception {
        List<CompletableFuture<End>> started = new ArrayList<>();
        for (int i = 0; i < SAGAS; i++) {
            started.add(contender.start(orders.get()));
        }
        return started.stream().map(CompletableFuture::join).toList();
    }

    @Test
    void a_wrong_end_fails_the_run() throws Exception {
        try (Contender rejecting = Contenders.JDBC_LOOP.open(database(), Kind.REJECTED)) {
            ClosedLoop loop = new ClosedLoop(rejecting, Workload.of("W1:2"));
            await().until(() -> loop.started() > 0);

            assertThatThrownBy(loop::close).rootCause().hasMessage("a saga is COMPENSATED, not COMPLETED");
        }
    }

    @Test
    void contenders_side_by_side_in_JVMs_of_their_own() throws Exception {
        Path directory = folder.resolve("results");

        String report = Reported.run(
                folder,
                "peers",
                "--contenders=backstep,ceiling",
                "--workloads=W1:4,W5:4,W6:20",
                "--rounds=1",
                "--seconds=0.2",
                "--settle-seconds=0.1",
                "--warmup-seconds=0",
                "--finished=100",
                "--lease-seconds=0.5",
                "--directory=" + directory);

        assertThat(report).contains("| backstep | ", "| ceiling | ", "W6", "full_page_writes");
        assertThat(directory).isDirectoryContaining("glob:**results.json");
        assertThat(Files.readString(directory.resolve("w1-4.svg"))).contains("backstep", "ceiling");
    }

    private static Server database() {
        TestPostgres.Db db = TestPostgres.fresh();
        return new Server(db.url(), db.user(), db.password(), null);
    }
}
