package io.backstep.saga.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.testsupport.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A check that nothing can break would prove nothing. */
class CheckerIT {
    private static final String UNKNOWN = "99999999-0000-0000-0000-000000000000";

    private final TestPostgres.Db database = TestPostgres.fresh();

    @TempDir
    private Path folder;

    @Test
    void every_check_holds_of_nothing_and_is_broken_by_an_offender() throws Exception {
        ChaosTables.create(database, database);
        Checker checker = new Checker(database, database, folder, Cluster.PURGED_AFTER);
        assertThat(checker.run()).hasSizeGreaterThan(30).allMatch(CheckResult::holds);

        Sql.execute(database, Sql.resource("offenders.sql"));
        Files.writeString(folder.resolve("n1-1.acknowledged"), UNKNOWN + " key\n");
        Files.writeString(folder.resolve("n1-1.rolled-back"), "rolled-back\n");
        Files.writeString(folder.resolve("n1-1.operated"), UNKNOWN + " retry key\n");
        Files.writeString(folder.resolve("n1-1.signalled"), "00000000-0000-0000-0000-000000000020 answer 1000000\n");

        assertThat(checker.run().stream().filter(CheckResult::holds).map(CheckResult::name))
                .isEmpty();
        try (Connection connection = database.connect()) {
            assertThat(Sql.rows(connection, "select distinct what from chaos_breach")
                            .toString())
                    .contains("has ended", "jumped", "a new seq", "a new epoch", "transition", "for good", "history");
        }
    }
}
