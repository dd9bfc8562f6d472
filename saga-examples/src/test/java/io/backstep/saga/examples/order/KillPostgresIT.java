package io.backstep.saga.examples.order;

import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As {@link KillIT}, on PostgreSQL. */
class KillPostgresIT {
    @TempDir
    Path folder;

    @Test
    void an_interrupted_order_completes() throws IOException, InterruptedException {
        TestPostgres.Db db = TestPostgres.fresh();
        Interrupted.completes(
                folder,
                List.of(
                        "--spring.datasource.url=" + db.url(),
                        "--spring.datasource.username=" + db.user(),
                        "--spring.datasource.password=" + db.password()));
    }
}
