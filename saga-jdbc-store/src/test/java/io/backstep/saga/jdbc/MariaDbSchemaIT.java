package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.messaging.OutboxStore;
import io.backstep.saga.store.InsertResult.Kind;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** On MariaDB each statement of a migration commits by itself. */
class MariaDbSchemaIT {
    private static final List<String> STATEMENTS = Stream.of(
                    SagaSchema.ddl("mariadb").split(";"))
            .filter(statement -> !statement.isBlank())
            .toList();

    static Stream<Arguments> deaths() {
        return Stream.of(DyingMigration.Death.values())
                .flatMap(death -> IntStream.rangeClosed(1, STATEMENTS.size())
                        .mapToObj(statements -> Arguments.of(death, statements)));
    }

    @ParameterizedTest // F051
    @MethodSource("deaths")
    void a_migration_that_dies_after_a_statement_is_finished_at_the_next_start(
            DyingMigration.Death death, int statements) {
        try (HikariDataSource pool = TestDatabase.mariaDb().pool()) {
            assertThatThrownBy(() -> SagaSchema.migrate(new DyingMigration(death, statements).wrap(pool)))
                    .isInstanceOf(SagaConfigurationException.class);
            assertThat(tables(pool)).hasSize(tablesOfFirst(statements));
            assertThat(failures(pool)).hasSize(death == DyingMigration.Death.OF_THE_STATEMENT ? 1 : 0);

            SagaSchema.migrate(pool);

            SagaSchema.verify(pool, SagaSchema.Options.DEFAULT);
            assertThat(tables(pool)).hasSize(tablesOfFirst(STATEMENTS.size()));
            assertThat(TestDatabase.strings(pool, "select lane from saga_outbox_lane"))
                    .hasSize(OutboxStore.LANES);
            assertThat(failures(pool)).isEmpty();
            assertThat(works(pool)).containsExactly(Kind.INSERTED);
        }
    }

    private static int tablesOfFirst(int statements) {
        return (int) STATEMENTS.stream()
                .limit(statements)
                .filter(statement -> statement.contains("create table"))
                .count();
    }

    private static List<String> tables(HikariDataSource pool) {
        return TestDatabase.strings(
                pool,
                "select table_name from information_schema.tables where table_schema = database()"
                        + " and table_name like 'saga!_%' escape '!' and table_name <> 'saga_schema_history'");
    }

    private static List<String> failures(HikariDataSource pool) {
        return TestDatabase.strings(pool, "select version from saga_schema_history where success = false");
    }

    private static List<Kind> works(HikariDataSource pool) {
        Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
        return sagas.insert(sagas.sagas(1, null));
    }

    @Test
    void what_ddl_prints_makes_the_tables_by_hand_and_may_be_applied_again() {
        try (HikariDataSource pool = TestDatabase.mariaDb().pool()) {
            STATEMENTS.forEach(statement -> TestDatabase.execute(pool, statement));
            STATEMENTS.forEach(statement -> TestDatabase.execute(pool, statement));

            SagaSchema.verify(pool, SagaSchema.Options.DEFAULT);
            assertThat(works(pool)).containsExactly(Kind.INSERTED);
        }
    }

    @Test
    void tables_that_were_made_by_hand_are_taken_over_by_migrations() {
        try (HikariDataSource pool = TestDatabase.mariaDb().pool()) {
            STATEMENTS.forEach(statement -> TestDatabase.execute(pool, statement));

            SagaSchema.migrate(pool);

            assertThat(works(pool)).containsExactly(Kind.INSERTED);
        }
    }

    @Test
    void a_user_who_may_not_make_tables_is_told_what_to_do() {
        TestDatabase database = TestDatabase.mariaDb();
        String reader = "reader_" + ProcessHandle.current().pid();
        try (HikariDataSource owner = database.pool()) {
            TestDatabase.execute(owner, "create user " + reader + " identified by 'x'");
            TestDatabase.execute(owner, "grant select, insert, update, delete on *.* to " + reader);
        }
        try (HikariDataSource pool = new TestDatabase(database.url(), reader, "x").pool()) {
            assertThatThrownBy(() -> SagaSchema.migrate(pool))
                    .isInstanceOf(SagaConfigurationException.class)
                    .hasMessageContainingAll("SAGA-CFG-003", "SagaSchema.ddl");
        }
    }
}
