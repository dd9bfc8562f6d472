package io.backstep.saga.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each scenario runs, with tiny numbers; what it measures is not looked at. */
class BenchmarksIT {
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
    void an_outbox_is_drained() throws Exception {
        String report = run("outbox", "--rounds=1", "--messages=2000", "--aggregates=50");

        assertThat(report).contains("messages a second");
    }

    @Test
    void sagas_that_are_due_at_once() throws Exception {
        String report = run("due-at-once", "--due=50", "--lease-seconds=1");

        assertThat(report).contains("50 due sagas ended", "sagas whose lease was lost: ");
    }

    @Test
    void signals_among_nodes_and_what_an_idle_one_asks() throws Exception {
        String report = run("signal-latency", "--rounds=1", "--signals=1", "--settle-seconds=0", "--idle-seconds=1");

        assertThat(report).contains("all poll    held", "all notify  at-rest", "transactions a second");
    }

    @Test
    void sagas_that_wait() throws Exception {
        String report = run("waiting", "--waiting=1000", "--claims=20", "--signals=2", "--settle-seconds=0");

        assertThat(report)
                .contains("resume p50 ms", "20 of them were told what they wait for, and are COMPLETED", "bars: ");
    }

    private String run(String scenario, String... options) throws Exception {
        return Reported.run(folder, scenario, options);
    }
}
