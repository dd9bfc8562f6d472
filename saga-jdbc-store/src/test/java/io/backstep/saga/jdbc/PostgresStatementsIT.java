package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Which statements go to PostgreSQL, and by which index it answers them when the tables are full. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresStatementsIT {
    private static final String FULL = """
            insert into saga_instance (saga_id, definition_id, type_id, business_key, input_hash, status, steps, input, format,
                epoch, seq, owner, due_at, created_at, updated_at)
              select md5(n::text)::uuid, 1, 1, 'key-' || n, repeat('0', 64),
                case when n % 500 = 0 then 'FAILED' else 'COMPLETED' end, '{}', '1', 1, 1, 1, null, null, now(), now()
                from generate_series(1, 20000) n;
            insert into saga_signal (saga_id, message_id, kind, reason, created_at, handled_at)
              select md5(n::text)::uuid, 'm', 'CANCEL', 'why', now(), now() from generate_series(1, 20000) n;
            insert into saga_signal (saga_id, message_id, kind, reason, created_at)
              select md5((500 * n)::text)::uuid, 'new', 'CANCEL', 'why', now() from generate_series(1, 20) n;
            analyze saga_instance; analyze saga_signal;
            """;

    /** By a condition on each entry it would read all of them. */
    private static final String SINCE = "Index Cond: .*due_at > ";

    private final List<String> statements = new ArrayList<>();
    private HikariDataSource dataSource;
    private JdbcTransactions transactions;
    private Sagas sagas;

    @BeforeAll
    void open() {
        dataSource = TestDatabase.postgres().pool();
        SagaSchema.migrate(dataSource);
        var watched = Watched.wrap(dataSource, borrowed -> {}, (connection, method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                statements.add((String) arguments[0]);
            }
            return Watched.call(connection, method, arguments);
        });
        transactions = new JdbcTransactions(watched);
        sagas = new Sagas(JdbcSagaStore.create(watched, transactions));
        TestDatabase.script(dataSource, FULL);
    }

    @AfterAll
    void close() {
        dataSource.close();
    }

    private static Mutation merging(UUID id, long seq, String... messageIds) {
        return new Mutation(
                new Fence(id, 1, seq),
                SagaStatus.RUNNING,
                null,
                null,
                Hold.KEEP,
                List.of(),
                List.of(),
                List.of(messageIds),
                List.of());
    }

    private void submit(Mutation... batch) {
        assertThat(sagas.submit(List.of(batch))).containsOnly(Acceptance.Kind.ACCEPTED);
    }

    private void post(UUID id) throws Exception {
        assertThat(transactions.<Boolean>inTransaction(
                        () -> sagas.store.post(new Mail(id, "m1", Mail.Kind.CANCEL, "why"))))
                .isTrue();
    }

    // --- how many

    @Test
    void a_write_is_one_statement_and_without_mail_does_not_name_its_table() {
        List<UUID> ids = sagas.owned(3);
        statements.clear();

        submit(merging(ids.get(0), 0));
        submit(merging(ids.get(1), 0), merging(ids.get(2), 0));

        assertThat(statements).hasSize(2).noneMatch(statement -> statement.contains("saga_signal"));
    }

    @Test
    void a_write_with_mail_is_one_statement_too() throws Exception {
        UUID id = sagas.owned(1).get(0);
        post(id);
        statements.clear();

        submit(merging(id, 0, "m1"));

        assertThat(statements).singleElement().asString().contains("update saga_signal");
        assertThat(sagas.store.inspect(id).orElseThrow().mail()).isEmpty();
    }

    @Test
    void a_transactional_step_without_mail_does_not_name_its_table() {
        UUID id = sagas.owned(1).get(0);
        statements.clear();

        assertThat(Told.ok((StoreCallback<Acceptance> told) -> sagas.store.inTransaction(() -> merging(id, 0), told)))
                .isEqualTo(Acceptance.ACCEPTED);

        assertThat(statements).isNotEmpty().noneMatch(statement -> statement.contains("saga_signal"));
    }

    /** With what its sagas have brought along, and the commit. */
    @Test
    void a_claim_is_one_statement() {
        statements.clear();
        assertThat(sagas.claim(10)).isEmpty();
        assertThat(statements).hasSize(1);

        sagas.insert(sagas.sagas(3, null));
        statements.clear();
        assertThat(sagas.claim(10)).hasSize(3);

        assertThat(statements).hasSize(1);
    }

    /** By the most that a general plan may cost it would be, where the server can: for each claim, and a hundred times as long. */
    @Test
    void a_claim_is_not_compiled() throws SQLException {
        statements.clear();
        sagas.claim(1);
        String settings = statements.get(0).substring(0, statements.get(0).indexOf("with due"));

        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            run(connection, settings);
            try (var shown = connection.prepareStatement("show jit");
                    var rows = shown.executeQuery()) {
                rows.next();
                assertThat(rows.getString(1)).isEqualTo("off");
            }
            connection.rollback();
        }
    }

    @Test
    void a_look_is_one_statement_with_its_commit() {
        statements.clear();

        assertThat(look().mail()).isFalse();

        assertThat(statements).singleElement().asString().endsWith("commit");
    }

    private Outlook look() {
        return Told.ok((StoreCallback<Outlook> told) -> sagas.store.look("nobody", List.of(1, 2, 3), told));
    }

    @Test
    void a_sweep_that_finds_nothing_is_one_select() {
        statements.clear();

        assertThat(Told.ok((StoreCallback<Sweep> told) -> sagas.store.sweepMail("nobody", List.of(1, 2, 3), told))
                        .mail())
                .isEmpty();

        assertThat(statements).singleElement().asString().startsWith("select");
    }

    // --- by which index

    private static void run(Connection connection, String statements) throws SQLException {
        try (var plain = connection.createStatement()) {
            plain.execute(statements);
        }
    }

    /** The plan of the last statement. */
    private String plan(boolean ours, Object... parameters) throws SQLException {
        String statement = statements.get(statements.size() - 1);
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            if (ours) {
                new PostgresDialect(
                                new Sql(SagaSchema.Options.DEFAULT, Product.POSTGRESQL), new Reach(System::nanoTime))
                        .open(connection);
            }
            try (var explain = connection.prepareStatement("explain " + statement)) {
                for (int i = 0; i < parameters.length; i++) {
                    explain.setObject(i + 1, parameters[i]);
                }
                StringBuilder plan = new StringBuilder();
                try (var rows = explain.executeQuery()) {
                    while (rows.next()) {
                        plan.append(rows.getString(1)).append('\n');
                    }
                }
                return plan.toString();
            } finally {
                connection.rollback();
            }
        }
    }

    /** It would read all that is due, and all that was, to sort it: by the plan of a table that nobody has analyzed yet. */
    @Test
    void a_claim_reads_what_it_takes_in_the_order_of_the_index() throws SQLException {
        statements.clear();
        sagas.claim(1);
        String claim = statements.get(0).substring(0, statements.get(0).indexOf(";\nselect saga_id"));
        int settings = claim.indexOf("with due");
        String prepare = "prepare claim as " + claim.substring(settings);
        for (int i = 1; prepare.contains("?"); i++) {
            prepare = prepare.replaceFirst("\\?", "\\$" + i);
        }

        StringBuilder plan = new StringBuilder();
        try (HikariDataSource neverAnalyzed = TestDatabase.postgres().pool()) {
            SagaSchema.migrate(neverAnalyzed);
            TestDatabase.script(
                    neverAnalyzed,
                    "alter table saga_instance set (autovacuum_enabled = off);" + FULL.split(";")[0]
                            + "; update saga_instance set status = 'RUNNING', due_at = now();");
            try (Connection connection = neverAnalyzed.getConnection()) {
                connection.setAutoCommit(false);
                run(connection, claim.substring(0, settings));
                run(connection, prepare);
                try (var explain = connection.prepareStatement(
                                "explain execute claim('{1}', -1000000, 9, 9, 'me', 1000000)");
                        var rows = explain.executeQuery()) {
                    while (rows.next()) {
                        plan.append(rows.getString(1)).append('\n');
                    }
                }
            }
        }

        assertThat(plan)
                .contains("Index Scan using saga_instance_due_at")
                .containsPattern(SINCE)
                .doesNotContain("Bitmap", "Seq Scan");
    }

    @Test
    void a_look_reads_one_entry_of_the_index_of_due_times_and_the_index_of_new_mail() throws SQLException {
        statements.clear();
        look();
        String look = statements.get(0);
        statements.set(0, look.substring(look.indexOf("select min"), look.indexOf(";\ncommit")));

        String plan = plan(true, 1, 2, 3, "nobody", 1, -1000000L, 2, -1000000L, 3, -1000000L);
        assertThat(plan)
                .contains("Index Scan using saga_instance_due_at", "saga_signal_new")
                .containsPattern(SINCE)
                .doesNotContain("Seq Scan on saga_instance", "Seq Scan on saga_signal", "->  Sort", "Bitmap");
    }

    @Test
    void the_sweep_reads_the_index_of_new_mail() throws SQLException {
        Told.ok((StoreCallback<Sweep> told) -> sagas.store.sweepMail("nobody", List.of(1, 2, 3), told));

        assertThat(plan(true, 1, 2, 3, "nobody", 1000))
                .contains("saga_signal_new")
                .doesNotContain("Seq Scan on saga_signal");
    }

    @Test
    void the_list_of_what_is_parked_reads_its_own_index() throws SQLException {
        ListQuery parked = new ListQuery(SagaStatus.FAILED, null, null, null, null, null, null, 100);

        assertThat(sagas.store.list(parked)).hasSize(40);

        assertThat(plan(false, 100)).contains("saga_instance_failed").doesNotContain("Seq Scan on saga_instance");
    }

    @Test
    void a_list_by_business_key_reads_the_index_of_keys_also_without_a_type() throws SQLException {
        assertThat(sagas.store.list(new ListQuery(null, null, "key-77", null, null, null, null, 100)))
                .hasSize(1);

        assertThat(plan(false, "key-77", 100))
                .contains("saga_instance_key")
                .doesNotContain("Seq Scan on saga_instance");
    }

    @Test
    void the_first_page_reads_the_primary_key_from_its_end() throws SQLException {
        assertThat(sagas.store.list(new ListQuery(null, "order", null, null, null, null, null, 20)))
                .hasSize(20);

        assertThat(plan(false, "order", 20)).contains("Backward").doesNotContain("Seq Scan on saga_instance");
    }
}
