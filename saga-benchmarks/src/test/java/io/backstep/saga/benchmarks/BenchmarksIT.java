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
import org.junit.jupiter.params.provider.ValueSource;

/** Each scenario runs, with tiny numbers; what it measures is not looked at. */
class BenchmarksIT {
    private static final int SAGAS = 20;

    @TempDir
    private Path folder;

    @Test
    void a_locked_row_and_a_locked_key() throws Exception {
        String report = run(
                "locked-row",
                "--in-flight=4",
                "--rounds=1",
                "--locked=row,key,both",
                "--seconds=0.2",
                "--locked-seconds=0.5",
                "--warmup-seconds=0.2");

        assertThat(report).contains("4 in flight, all rounds", "baseline", "row", "key", "both");
    }

    @Test
    void an_unknown_definition() throws Exception {
        String report = run("unknown-definition", "--unknown=1000", "--calls=20");

        assertThat(report).contains("not analyzed, plans of before", "analyzed, new connections");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "finished-sagas --finished=50 --in-flight=4",
                "two-nodes --in-flight=4",
                "slow-participants --in-flight=4",
                "partitioned --in-flight=4 --contenders=backstep"
            })
    void sides_in_turn(String scenario) throws Exception {
        List<String> args = new ArrayList<>(List.of(scenario.split(" ")));
        args.addAll(List.of("--rounds=1", "--seconds=0.2", "--settle-seconds=0.1", "--warmup-seconds=0"));

        String report = run(args.get(0), args.subList(1, args.size()).toArray(String[]::new));

        assertThat(report).contains("medians", "ended");
    }

    @Test
    void a_held_snapshot() throws Exception {
        String report = run(
                "held-snapshot",
                "--in-flight=4",
                "--minutes=0.01",
                "--seconds=0.2",
                "--windows-without=1",
                "--warmup-seconds=0");

        assertThat(report).contains("without", "held", "after", "slowest window");
    }

    @Test
    void a_guarded_transaction_beside_a_bare_one() throws Exception {
        String report = run("guard", "--rounds=1", "--clients=1,2", "--warmup-seconds=0.1", "--seconds=0.2");

        assertThat(report).contains("1 clients, guarded / bare", "2 clients, guarded with a result / bare");
    }

    @Test
    void sagas_that_are_due_at_once() throws Exception {
        String report = run("due-at-once", "--due=50", "--lease-seconds=1");

        assertThat(report).contains("50 due sagas ended", "sagas whose lease was lost: 0");
    }

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

    private static Server database() {
        TestPostgres.Db db = TestPostgres.fresh();
        return new Server(db.url(), db.user(), db.password(), null);
    }

    @Test
    void contenders_side_by_side_in_JVMs_of_their_own() throws Exception {
        Path directory = folder.resolve("results");

        String report = run(
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

    @Test
    void signals_among_nodes_and_what_an_idle_one_asks() throws Exception {
        String report = run("signal-latency", "--rounds=1", "--signals=1", "--settle-seconds=0", "--idle-seconds=1");

        assertThat(report).contains("all poll    held", "all notify  at-rest", "transactions a second");
    }

    @Test
    void sagas_that_wait() throws Exception {
        String report = run("waiting", "--waiting=1000", "--claims=20", "--signals=2", "--settle-seconds=0");

        assertThat(report).contains("resume p50 ms", "bars: ");
    }

    private String run(String scenario, String... options) throws Exception {
        TestPostgres.Db db = TestPostgres.fresh();
        Path out = folder.resolve("report.txt");
        List<String> args = new ArrayList<>(List.of(scenario, "--url=" + db.url(), "--user=" + db.user()));
        args.add("--password=" + db.password());
        args.add("--out=" + out);
        args.addAll(List.of(options));
        Benchmarks.run(args);
        return Files.readString(out);
    }
}
