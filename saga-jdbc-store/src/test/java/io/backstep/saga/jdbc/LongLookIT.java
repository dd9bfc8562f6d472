package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While it takes long to look at all that is due, what becomes due is found all the same, and what was overlooked later. */
class LongLookIT {
    private static final Duration A_CALL = Duration.ofMinutes(1);

    private long nanos;
    private final Reach reach = new Reach(() -> nanos += A_CALL.toNanos());
    private final PostgresDialect dialect =
            new PostgresDialect(new Sql(SagaSchema.Options.DEFAULT, Product.POSTGRESQL), reach);
    private final Looks looks = new Looks(dialect, reach);
    private final TestPostgres.Db db = TestPostgres.fresh();
    private final HikariDataSource pool = new TestDatabase(db.url(), db.user(), db.password()).pool();
    private Sagas sagas;

    @BeforeEach
    void it_takes_long_twice() throws Exception {
        SagaSchema.migrate(pool);
        sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
        assertThat(isDue()).isFalse();
        assertThat(isDue()).isFalse();
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void what_has_become_due_since() throws Exception {
        NewInstance recent = sagas.saga("recent", null);
        sagas.insert(List.of(recent));

        assertThat(isDue()).isTrue();
        assertThat(claim(10)).containsExactly(recent.sagaId());
    }

    /** The look before was two calls ago, that is two minutes. */
    @Test
    void what_a_full_claim_has_left() throws Exception {
        NewInstance one = sagas.saga("one", null);
        NewInstance two = sagas.saga("two", null);
        sagas.insert(List.of(one, two));
        TestDatabase.execute(pool, "update saga_instance set due_at = due_at - interval '90 seconds'");

        assertThat(claim(1)).hasSize(1);
        assertThat(claim(1)).hasSize(1);
    }

    @Test
    void what_was_due_long_before() throws Exception {
        NewInstance old = sagas.saga("old", null);
        sagas.insert(List.of(old));
        TestDatabase.execute(pool, "update saga_instance set due_at = due_at - interval '1 hour'");

        assertThat(isDue()).isFalse();
        assertThat(claim(10)).isEmpty();
        nanos += A_CALL.multipliedBy(10).toNanos();
        assertThat(isDue()).isTrue();
        assertThat(claim(10)).containsExactly(old.sagaId());
    }

    private List<Integer> definitions() {
        return List.of(sagas.definition.definitionId());
    }

    private boolean isDue() throws Exception {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            return looks.look(connection, "nobody", definitions()).isDue();
        }
    }

    private List<UUID> claim(int limit) throws Exception {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            return dialect.claim(connection, new ClaimRequest(Sagas.LEASE, limit, definitions())).stream()
                    .map(claimed -> claimed.row().sagaId())
                    .toList();
        }
    }
}
