package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.Acceptance.Kind;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.NewInstance;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PostgresSettingsIT extends SettingsContract {
    @Override
    TestDatabase fresh() {
        return TestDatabase.postgres();
    }

    /**
     * What a claim must not be: planned as a nested loop, which the settings and the stale statistics of this test bring about, the
     * part with the LIMIT runs again for every row, and each time it finds others.
     */
    private static final String TRAP = """
            update saga_instance set owner = 'trap' where saga_id in (
              select saga_id from saga_instance where definition_id = ? and due_at <= statement_timestamp()
                order by due_at limit 5 for update skip locked)
            """;

    @Test // F020
    void a_claim_takes_no_more_than_its_limit_whatever_the_plan() throws Exception {
        String settings = "-c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off";
        TestDatabase own = TestDatabase.postgres();
        try (HikariDataSource pool = own.pool();
                HikariDataSource odd = own.pool(config -> config.addDataSourceProperty("options", settings))) {
            SagaSchema.migrate(pool);
            Sagas others = new Sagas(JdbcSagaStore.create(odd, new JdbcTransactions(odd)));
            TestDatabase.execute(pool, "alter table saga_instance set (autovacuum_enabled = false)");
            for (int i = 1; i <= 50; i++) {
                others.insert(List.of(withId(others.saga(null, null), new UUID(0x7000L, i)))); // in order, as ids are
            }
            TestDatabase.execute(
                    pool, "update pg_class set relpages = 100, reltuples = 1 where relname = 'saga_instance'");

            assertThat(takenByTheTrap(odd, others.definition.definitionId()))
                    .as("the trap is open")
                    .isGreaterThan(5);
            assertThat(others.claim(5)).hasSize(5);

            assertThat(TestDatabase.strings(
                            pool,
                            "select saga_id from saga_instance where owner is not null and epoch = 1"
                                    + " and seq = 0 and due_at > clock_timestamp()"))
                    .hasSize(5);
        }
    }

    /** It commits before its rows are read: a cursor would be gone by then. */
    @Test
    void a_claim_gives_all_rows_also_where_the_url_wants_them_one_by_one() throws Exception {
        TestDatabase own = TestDatabase.postgres();
        try (HikariDataSource pool = own.pool(config -> config.addDataSourceProperty("defaultRowFetchSize", "1"))) {
            SagaSchema.migrate(pool);
            JdbcTransactions transactions = new JdbcTransactions(pool);
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, transactions));
            List<NewInstance> due = sagas.sagas(3, null);
            sagas.insert(due);
            for (UUID id : due.stream().map(NewInstance::sagaId).toList()) {
                transactions.<Boolean>inTransaction(
                        () -> sagas.store.post(new Mail(id, "m", Mail.Kind.CANCEL, "changed my mind")));
            }

            assertThat(sagas.claim(10))
                    .hasSize(3)
                    .allMatch(claimed -> claimed.mail().size() == 1);
        }
    }

    private static NewInstance withId(NewInstance row, UUID id) {
        return new NewInstance(
                id,
                row.definition(),
                row.businessKey(),
                row.inputHash(),
                row.status(),
                row.steps(),
                row.input(),
                row.format(),
                row.deadline(),
                row.lease());
    }

    private static int takenByTheTrap(HikariDataSource dataSource, int definitionId) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            int taken = TestDatabase.execute(connection, TRAP, definitionId);
            connection.rollback();
            return taken;
        }
    }

    @Test // F20
    void a_pool_that_is_read_only_by_default_still_runs_sagas() {
        try (HikariDataSource readOnly = database.pool(
                config -> config.addDataSourceProperty("options", "-c default_transaction_read_only=on"))) {
            Sagas others = new Sagas(JdbcSagaStore.create(readOnly, new JdbcTransactions(readOnly)));

            UUID id = others.owned(1).get(0);

            assertThat(others.submit(List.of(Sagas.write(id, 1, 0)))).containsExactly(Kind.ACCEPTED);
        }
    }
}
