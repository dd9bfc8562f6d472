package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InsertResult.Kind;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables in every state that a start may meet, and names and settings that change how they are found. */
class SchemaStatesIT {
    private static final String HISTORY = "\"saga_schema_history\"";

    static Stream<Arguments> states() {
        String set = "update " + HISTORY + " set %s where \"version\" = '1'";
        return Stream.of(
                        state(
                                "older",
                                set.formatted("\"version\" = '0.9'"),
                                "have version 0.9, needed is 1; call SagaSchema.migrate(dataSource) first"),
                        state(
                                "newer",
                                set.formatted("\"version\" = '7'"),
                                "have version 7, newer than the 1 that this release"
                                        + " knows; run the release that made them"),
                        state(
                                "half-migrated",
                                set.formatted("\"success\" = false"),
                                "were being brought to version 1, and that"
                                        + " was not finished; drop what it made, run \"delete from " + HISTORY
                                        + " where \"success\" = false\", and start again"),
                        state(
                                "changed",
                                set.formatted("\"checksum\" = 42"),
                                "were made by another script of version 1" + " (checksum 42, expected"))
                .flatMap(state -> TestDatabase.both().stream()
                        .map(database -> Arguments.of(state[0], database, state[1], state[2])));
    }

    private static String[] state(String... parts) {
        return parts;
    }

    @ParameterizedTest(name = "{0} on {1}") // C3
    @MethodSource("states")
    void what_is_wrong_with_the_tables_is_told_with_what_to_do(
            String name, TestDatabase database, String change, String told) {
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool);
            SagaSchema.verify(pool, SagaSchema.Options.DEFAULT);
            TestDatabase.execute(pool, change);

            assertRefused(() -> SagaSchema.verify(pool, SagaSchema.Options.DEFAULT), told);
            if (!name.equals("older")) {
                assertRefused(() -> SagaSchema.migrate(pool), told);
            }
            TestDatabase.execute(pool, "drop table " + HISTORY);
            assertThatCode(() -> SagaSchema.verify(pool, SagaSchema.Options.DEFAULT))
                    .as("the tables by themselves are fine")
                    .doesNotThrowAnyException();
        }
    }

    static List<TestDatabase> databases() {
        return TestDatabase.both();
    }

    @ParameterizedTest // C3
    @MethodSource("databases")
    void missing_tables_are_told_with_what_to_do(TestDatabase database) {
        try (HikariDataSource pool = database.pool()) {
            assertRefused(
                    () -> SagaSchema.verify(pool, SagaSchema.Options.DEFAULT),
                    "the tables saga_... are missing or have no version, needed is 1; call SagaSchema.migrate(dataSource)"
                            + " first (with Spring set saga.schema.migrate=true), or apply what SagaSchema.ddl prints, by a"
                            + " user that may");
        }
    }

    static Stream<TestDatabase> everyDatabase() {
        return Stream.concat(TestDatabase.both().stream(), TestDatabase.mariaDbIfThere());
    }

    @ParameterizedTest // C3
    @MethodSource("everyDatabase")
    void an_engine_whose_tables_nobody_has_made_says_what_to_call(TestDatabase database) {
        try (HikariDataSource pool = database.pool()) {
            JdbcTransactions transactions = new JdbcTransactions(pool);
            SagaEngine engine = SagaEngine.builder()
                    .store(JdbcSagaStore.create(pool, transactions))
                    .transactions(transactions)
                    .build();
            engine.register(Saga.define(SagaType.named("any", String.class))
                    .step("one")
                    .action(c -> {})
                    .noCompensation("nothing")
                    .build());

            assertRefused(
                    engine::start, "are missing or have no version, needed is 1; call SagaSchema.migrate(dataSource)");
            engine.close();
        }
    }

    @ParameterizedTest
    @MethodSource("everyDatabase")
    void a_login_that_is_refused_is_told_apart_from_no_answer_and_without_the_password(TestDatabase database) {
        try (HikariDataSource pool = database.pool();
                HikariDataSource stranger =
                        new HikariDataSource()) { // which connects when it is first asked, as Spring Boot's
            assertThat(TestDatabase.strings(pool, "select 1")).hasSize(1);
            stranger.setJdbcUrl(database.url());
            stranger.setUsername("stranger");
            stranger.setPassword("open-sesame");

            assertThatThrownBy(() -> SagaSchema.migrate(stranger))
                    .isInstanceOf(SagaConfigurationException.class)
                    .hasMessageStartingWith("SAGA-CFG-014: the database refuses the login; user or password is wrong")
                    .hasMessageNotContaining("open-sesame");
        }
    }

    @ParameterizedTest // F19
    @CsvSource({
        "references, 'SAGA-CFG-003: the tables saga_... may not be read by this user, ERROR: permission denied for table'",
        "select, SAGA-DB-003: the database refused: ERROR: permission denied for table saga_"
    })
    void a_right_that_is_missing_is_told_in_one_line_with_the_table(String rights, String told) {
        TestDatabase database = TestDatabase.postgres();
        String user = "guest_" + ProcessHandle.current().pid() + "_" + rights.length();
        try (HikariDataSource owner = database.pool()) {
            SagaSchema.migrate(owner);
            TestDatabase.execute(owner, "create role " + user + " login password 'x'");
            TestDatabase.execute(owner, "grant " + rights + " on all tables in schema public to " + user);
            try (HikariDataSource pool = new TestDatabase(database.url(), user, "x").pool()) {
                assertThatThrownBy(() -> {
                            SagaSchema.migrate(pool);
                            start(pool, new JdbcTransactions(pool));
                        })
                        .hasMessageStartingWith(told)
                        .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
            } finally {
                TestDatabase.execute(owner, "drop owned by " + user);
                TestDatabase.execute(owner, "drop role " + user);
            }
        }
    }

    private static void start(HikariDataSource pool, JdbcTransactions transactions) {
        try (SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(pool, transactions))
                .transactions(transactions)
                .build()) {
            engine.register(Saga.define(SagaType.named("any", String.class))
                    .step("one")
                    .action(c -> {})
                    .noCompensation("nothing")
                    .build());
            engine.start();
        }
    }

    private static void assertRefused(ThrowingCallable call, String told) {
        assertThatThrownBy(call)
                .isInstanceOf(SagaConfigurationException.class)
                .hasMessageStartingWith("SAGA-CFG-003: the tables ")
                .hasMessageContaining(told);
    }

    @Test // F037
    void tables_that_are_current_need_no_lock() throws Exception {
        try (HikariDataSource pool = TestDatabase.postgres().pool()) {
            SagaSchema.migrate(pool);
            try (Connection holder = pool.getConnection()) {
                holder.setAutoCommit(false);
                TestDatabase.execute(holder, "lock table " + HISTORY + " in row exclusive mode");

                assertThatCode(() -> SagaSchema.migrate(pool, SagaSchema.Options.DEFAULT, Duration.ofSeconds(1)))
                        .doesNotThrowAnyException();
                holder.rollback();
            }
        }
    }

    @ParameterizedTest // F059
    @ValueSource(
            strings = {
                "DATABASE_TO_UPPER=TRUE",
                "DATABASE_TO_UPPER=FALSE",
                "MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE",
                "MODE=PostgreSQL",
                "MODE=MySQL",
                "MODE=MySQL;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE"
            })
    void h2_finds_the_tables_whatever_it_does_with_names(String settings) {
        for (SagaSchema.Options options : List.of(
                SagaSchema.Options.DEFAULT,
                SagaSchema.Options.of("saga_", "saga"),
                SagaSchema.Options.of("Saga_", "SAGA2"))) {
            try (HikariDataSource pool = TestDatabase.h2(settings).pool()) {
                SagaSchema.migrate(pool, options);
                SagaSchema.verify(pool, options);
                runs(new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool), options)));
            }
        }
    }

    @Test // F071
    void a_schema_outside_the_search_path_is_found_by_every_statement() {
        SagaSchema.Options options = SagaSchema.Options.of("x_", "elsewhere");
        try (HikariDataSource pool = TestDatabase.postgres()
                .pool(config -> config.addDataSourceProperty("options", "-c search_path=pg_catalog"))) {
            SagaSchema.migrate(pool, options);
            runs(new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool), options)));
        }
    }

    private static void runs(Sagas sagas) {
        assertThat(sagas.insert(List.of(sagas.saga("key", null)))).containsExactly(Kind.INSERTED);
        assertThat(sagas.claim(5)).hasSize(1);
        UUID id = sagas.owned(1).get(0);
        sagas.submit(List.of(Sagas.big(id, 2)));
        assertThat(sagas.store.history(id)).hasSize(2);
        assertThat(sagas.store.compensations(id)).hasSize(2);
        assertThat(sagas.store.find("order", "key")).isPresent();
    }

    @ParameterizedTest // X3
    @MethodSource("databases")
    void ten_thousand_lines_of_history_do_not_burden_a_claim(TestDatabase database) {
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool);
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
            NewInstance saga = sagas.saga(null, null);
            sagas.insert(List.of(saga));
            String line = "insert into saga_step_history (saga_id, seq, ordinal, step, phase, attempt, outcome, result,"
                    + " error_text, started_at, duration, node) select ?, x, 0, 'step', 'ACTION', 1, %s, 'node' from %s";
            String numbers =
                    database.url().contains("h2") ? "system_range(1, 10000) as t(x)" : "generate_series(1, 10000) x";
            TestDatabase.execute(
                    pool,
                    line.formatted("'FAILED', null, repeat('e', 3000), current_timestamp, 0", numbers),
                    saga.sagaId());
            TestDatabase.execute(
                    pool,
                    line.formatted("'SUCCEEDED', '1', null, current_timestamp, 0", "(values (10001)) as t(x)"),
                    saga.sagaId());

            assertThat(sagas.claim(5))
                    .singleElement()
                    .satisfies(claimed -> assertThat(claimed.results()).containsOnlyKeys("step"));
            assertThat(sagas.store.history(saga.sagaId())).hasSize(10_001);
        }
    }

    @Test // F055
    void a_renewal_does_not_write_the_payload_again() {
        try (HikariDataSource pool = TestDatabase.postgres().pool()) {
            SagaSchema.migrate(pool);
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
            UUID id = sagas.owned(1).get(0);
            TestDatabase.execute(
                    pool,
                    "update saga_instance set input = (select string_agg(gen_random_uuid()::text, '')"
                            + " from generate_series(1, 10000))");
            String size = "select pg_total_relation_size(reltoastrelid) from pg_class where relname = 'saga_instance'";
            List<String> before = TestDatabase.strings(pool, size);

            for (int i = 0; i < 100; i++) {
                sagas.store.renew(
                        List.of(new Held(id, 1)),
                        Sagas.LEASE,
                        (renewed, failure) -> assertThat(renewed).containsExactly(id));
            }

            assertThat(Long.parseLong(before.get(0))).isGreaterThan(300_000);
            assertThat(TestDatabase.strings(pool, size)).isEqualTo(before);
        }
    }
}
