package io.backstep.saga.jdbc;

import io.backstep.saga.participant.IdempotencyClaim;
import io.backstep.saga.participant.IdempotencyRow;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.store.SagaStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests and what came of them in {@code saga_idempotency}, on PostgreSQL, H2 or MariaDB. Needs no other table
 * ({@link SagaSchema#participantDdl}) and no engine. Borrows a connection for each call.
 */
public final class JdbcIdempotencyStore implements IdempotencyStore {
    /** How often the database may let others go first. */
    private static final int TRIES = 20;

    private record Known(Dialect dialect, IdempotencyStatements statements) {}

    private final DataSource dataSource;
    private final SagaSchema.Options options;
    private volatile @Nullable Known known;

    private JdbcIdempotencyStore(DataSource dataSource, SagaSchema.Options options) {
        this.dataSource = dataSource;
        this.options = options;
    }

    /**
     * Makes a store on the default table, see {@link #create(DataSource, SagaSchema.Options)}.
     *
     * @param dataSource the database
     * @return the store
     */
    public static JdbcIdempotencyStore create(DataSource dataSource) {
        return create(dataSource, SagaSchema.Options.DEFAULT);
    }

    /**
     * Makes a store. The database is first asked at the first call, and {@link io.backstep.saga.SagaConfigurationException} is thrown then:
     * {@code SAGA-CFG-014} when it does not answer, {@code SAGA-CFG-002} when it is not supported.
     *
     * @param dataSource the database
     * @param options where the table is
     * @return the store
     */
    public static JdbcIdempotencyStore create(DataSource dataSource, SagaSchema.Options options) {
        return new JdbcIdempotencyStore(dataSource, options);
    }

    @Override
    public IdempotencyRow claim(IdempotencyClaim claim) {
        return alone((statements, connection) -> statements.claim(connection, claim));
    }

    @Override
    public boolean complete(String key, UUID token, String result, Duration timeToLive) {
        return alone((statements, connection) -> statements.complete(connection, key, token, result, timeToLive));
    }

    @Override
    public void release(String key, UUID token) {
        alone((statements, connection) -> {
            statements.release(connection, key, token);
            return true;
        });
    }

    @Override
    public int purge(int limit) {
        return alone((statements, connection) -> statements.purge(connection, limit));
    }

    private interface Work<T> {
        T run(IdempotencyStatements statements, Connection connection) throws SQLException;
    }

    private <T> T alone(Work<T> work) {
        Known here = known();
        for (int tries = 1; ; tries++) {
            try (OwnTransaction transaction = here.dialect().begin(dataSource)) {
                here.dialect().open(transaction.connection());
                T result = work.run(here.statements(), transaction.connection());
                transaction.commit();
                return result;
            } catch (SQLException e) {
                if (tries == TRIES || !Failures.isTransient(e)) {
                    throw Failures.beforeCommit(e);
                }
            } catch (SagaStoreException e) {
                if (tries == TRIES || !Failures.isTransient(e)) {
                    throw e;
                }
            }
        }
    }

    private Known known() {
        Known here = known;
        if (here == null) {
            Product product = SagaSchema.product(dataSource);
            Sql sql = new Sql(options, product);
            Dialect dialect = product.dialect(sql, new Reach(System::nanoTime));
            here = new Known(dialect, new IdempotencyStatements(sql, dialect));
            known = here;
        }
        return here;
    }
}
