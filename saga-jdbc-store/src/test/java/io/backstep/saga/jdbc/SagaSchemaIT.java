package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InsertResult.Kind;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SagaSchemaIT {
    private static final SagaSchema.Options ELSEWHERE = SagaSchema.Options.of("my_", "Orders");

    static List<TestDatabase> databases() {
        return Stream.concat(
                        Stream.of(
                                TestDatabase.postgres(),
                                TestDatabase.h2(),
                                TestDatabase.h2("MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE")),
                        TestDatabase.mariaDbIfThere())
                .toList();
    }

    @ParameterizedTest // F052
    @MethodSource("databases")
    void five_nodes_that_migrate_at_once_all_come_up(TestDatabase database) throws Exception {
        CountDownLatch together = new CountDownLatch(5);
        ExecutorService nodes = Executors.newFixedThreadPool(5);
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(20))) {
            List<? extends Future<?>> all = Stream.generate(() -> nodes.submit(() -> {
                        together.countDown();
                        together.await();
                        SagaSchema.migrate(pool);
                        return null;
                    }))
                    .limit(5)
                    .toList();
            for (Future<?> node : all) {
                node.get();
            }

            assertThat(versions(pool, "\"saga_schema_history\"")).containsExactly("1");
        } finally {
            nodes.shutdownNow();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void the_tables_stand_beside_those_of_the_application_and_its_own_migrations(TestDatabase database) {
        try (HikariDataSource pool = database.pool()) {
            Flyway.configure().dataSource(pool).load().migrate();
            TestDatabase.execute(pool, "create table orders (id int)");

            SagaSchema.migrate(pool);
            SagaSchema.migrate(pool);

            assertThat(versions(pool, "\"saga_schema_history\"")).containsExactly("1");
            assertThat(versions(pool, "\"flyway_schema_history\"")).isEmpty();
            Flyway.configure().dataSource(pool).load().validate();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void tables_of_another_name_in_another_schema_serve_as_well(TestDatabase database) {
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool, ELSEWHERE);
            SagaSchema.verify(pool, ELSEWHERE);

            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool), ELSEWHERE));

            assertThat(sagas.insert(List.of(sagas.saga("key", null)))).containsExactly(Kind.INSERTED);
            assertThat(sagas.claim(5)).hasSize(1);
            assertThat(sagas.store.find("order", "key")).isPresent();
            assertThat(TestDatabase.strings(pool, "select saga_id from \"Orders\".my_instance"))
                    .hasSize(1);
        }
    }

    @ParameterizedTest // F071
    @MethodSource("databases")
    void operators_and_retention_find_tables_of_another_name_as_well(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool, ELSEWHERE);
            JdbcTransactions transactions = new JdbcTransactions(pool);
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, transactions, ELSEWHERE));
            UUID id = sagas.owned(1).get(0);
            Mutation end = new Mutation(
                    new Fence(id, 1, 0),
                    SagaStatus.FORCE_COMPLETED,
                    null,
                    null,
                    Hold.END,
                    List.of(Sagas.line("a", "1")),
                    List.of());

            transactions.inTransaction(() -> {
                assertThat(sagas.store.post(new Mail(id, "m1", Mail.Kind.CANCEL, "why")))
                        .isTrue();
                assertThat(sagas.store.operate(new OperatorWrite(end, true, true)))
                        .isEqualTo(Operated.DONE);
                return sagas.store.audit(
                        new AuditEntry(id, "retry", "ada", "why", true, "RUNNING", "FAILED", false, "key", "node"));
            });

            assertThat(Told.ok((StoreCallback<Sweep> told) -> sagas.store.sweepMail("node", List.of(), told))
                            .mail())
                    .isEmpty();
            assertThat(sagas.store.inspect(id).orElseThrow().mail()).isEmpty();
            assertThat(sagas.store.history(id, null, 10)).hasSize(1);
            assertThat(sagas.store.audit(new AuditQuery(id, "key", null, 10))).hasSize(1);
            assertThat(sagas.store.list(new ListQuery(null, "order", null, "a", null, null, null, 10)))
                    .isEmpty();
            assertThat(sagas.store.list(new ListQuery(null, "order", null, null, null, null, null, 10)))
                    .hasSize(1);
            PurgeRequest all = new PurgeRequest(
                    Map.of(SagaStatus.FORCE_COMPLETED, Duration.ZERO), Set.of(sagas.definition.typeId()), null, 10);
            assertThat(sagas.store.purge(all)).isEqualTo(new Purged(1, null));
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void two_prefixes_in_one_schema_are_two_worlds(TestDatabase database) {
        SagaSchema.Options other = SagaSchema.Options.of("other_", null);
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool);
            SagaSchema.migrate(pool, other);

            Sagas here = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
            Sagas there = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool), other));
            here.insert(here.sagas(1, null));

            assertThat(there.claim(5)).isEmpty();
            assertThat(here.claim(5)).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void missing_tables_are_named_with_the_version_that_is_needed(TestDatabase database) {
        try (HikariDataSource pool = database.pool()) {
            assertRefused(pool, "have no version", "needed is 1");
        }
    }

    @ParameterizedTest // F098
    @MethodSource("databases")
    void migrated_tables_are_verified_and_others_not(TestDatabase database) {
        try (HikariDataSource pool = database.pool(config -> config.setAutoCommit(false))) {
            SagaSchema.migrate(pool);
            assertThatCode(() -> SagaSchema.verify(pool, SagaSchema.Options.DEFAULT))
                    .doesNotThrowAnyException();

            TestDatabase.execute(
                    pool, "update \"saga_schema_history\" set \"version\" = '0.9' where \"version\" = '1'");

            assertRefused(pool, "version 0.9", "needed is 1");
        }
    }

    @Test
    void what_ddl_prints_makes_the_tables_by_hand_on_postgresql() {
        byHand(TestDatabase.postgres(), "postgresql");
    }

    @Test
    void what_ddl_prints_makes_the_tables_by_hand_on_h2() {
        byHand(TestDatabase.h2(), "h2");
    }

    private static void byHand(TestDatabase database, String name) {
        try (HikariDataSource pool = database.pool()) {
            TestDatabase.script(pool, SagaSchema.ddl(name));

            SagaSchema.verify(pool, SagaSchema.Options.DEFAULT);
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
            assertThat(sagas.insert(sagas.sagas(1, null))).containsExactly(Kind.INSERTED);
        }
    }

    @Test
    void a_user_who_may_not_make_tables_is_told_what_to_do() {
        TestDatabase database = TestDatabase.postgres();
        try (HikariDataSource owner = database.pool()) {
            TestDatabase.execute(
                    owner, "create role reader_" + ProcessHandle.current().pid() + " login password 'x'");
            TestDatabase.execute(owner, "revoke create on schema public from public");
        }
        TestDatabase asReader = new TestDatabase(
                database.url(), "reader_" + ProcessHandle.current().pid(), "x");
        try (HikariDataSource pool = asReader.pool()) {
            assertThatThrownBy(() -> SagaSchema.migrate(pool))
                    .isInstanceOf(SagaConfigurationException.class)
                    .hasMessageContainingAll("SAGA-CFG-003", "SagaSchema.ddl");
        }
    }

    @Test // F037
    void a_lock_that_somebody_else_holds_is_named_and_not_waited_for_when_the_tables_are_current() throws Exception {
        TestDatabase database = TestDatabase.postgres();
        try (HikariDataSource pool = database.pool();
                Connection holder = pool.getConnection();
                var lock = holder.prepareStatement("select pg_advisory_lock(?)")) {
            lock.setLong(1, lockOf("\"public\".\"saga_schema_history\""));
            lock.execute();

            assertThatThrownBy(() -> Migration.run(pool, SagaSchema.Options.DEFAULT, Product.POSTGRESQL, 1))
                    .isInstanceOf(SagaConfigurationException.class)
                    .hasMessageContainingAll("SAGA-CFG-003", "advisory lock", "pg_locks");

            try (var unlock = holder.prepareStatement("select pg_advisory_unlock_all()")) {
                unlock.execute();
            }
            SagaSchema.migrate(pool);
            lock.execute();
            assertThatCode(() -> SagaSchema.verify(pool, SagaSchema.Options.DEFAULT))
                    .doesNotThrowAnyException();
        }
    }

    /** As Flyway counts it. */
    private static long lockOf(String historyTable) {
        return 77431708279161L + historyTable.hashCode();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void only_what_is_running_or_compensating_may_have_a_due_time(TestDatabase database) {
        try (HikariDataSource pool = database.pool()) {
            SagaSchema.migrate(pool);
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
            sagas.insert(sagas.sagas(1, null));

            assertThatThrownBy(() -> TestDatabase.execute(pool, "update saga_instance set status = 'COMPLETED'"))
                    .hasMessageMatching("(?is).*instance_due.*");
        }
    }

    private static void assertRefused(DataSource dataSource, String... parts) {
        assertThatThrownBy(() -> SagaSchema.verify(dataSource, SagaSchema.Options.DEFAULT))
                .isInstanceOf(SagaConfigurationException.class)
                .hasMessageStartingWith("SAGA-CFG-003")
                .hasMessageContainingAll(parts);
    }

    private static List<String> versions(DataSource dataSource, String table) {
        return TestDatabase.strings(
                dataSource,
                "select \"version\" from " + table
                        + " where \"success\" = true and \"version\" <> '0' order by \"installed_rank\"");
    }
}
