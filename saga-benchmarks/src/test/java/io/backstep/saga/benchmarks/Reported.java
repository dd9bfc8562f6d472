package io.backstep.saga.benchmarks;

import io.backstep.saga.testsupport.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A scenario that is run by its command line in a fresh database. */
final class Reported {
    private Reported() {}

    /** Gives its report. */
    static String run(Path folder, String scenario, String... options) throws Exception {
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
