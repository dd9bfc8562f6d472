package io.backstep.saga.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.testsupport.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
