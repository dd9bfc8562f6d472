package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A transaction that cannot begin gives its connection back, whatever the driver throws. */
class OwnTransactionTest {
    private final AtomicInteger open = new AtomicInteger();

    private DataSource failing(String where, boolean alsoClose, Throwable what) {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:");
        return Watched.wrap(h2, borrowed -> open.incrementAndGet(), (connection, method, arguments) -> {
            if (method.getName().equals("close")) {
                open.decrementAndGet();
                connection.close();
                if (alsoClose) {
                    throw new SQLException("broken", "08006");
                }
                return null;
            }
            if (method.getName().equals(where)) {
                throw what;
            }
            return Watched.call(connection, method, arguments);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "getTransactionIsolation, false",
        "getTransactionIsolation, true",
        "setTransactionIsolation, false",
        "getAutoCommit, true",
        "setAutoCommit, false"
    })
    void whatever_fails_first_the_connection_goes_back_and_that_failure_is_told(String where, boolean alsoClose) {
        assertThat(failure(failing(where, alsoClose, new SQLException("first"))))
                .isInstanceOfSatisfying(SagaStoreException.class, told -> {
                    assertThat(told.effect()).isEqualTo(Effect.NONE);
                    assertThat(told).hasRootCauseMessage("first");
                });
        assertThat(failure(failing(where, alsoClose, new IllegalStateException("first"))))
                .isInstanceOf(SagaStoreException.class)
                .hasRootCauseMessage("first");
        assertThat(failure(failing(where, alsoClose, new NoClassDefFoundError("first"))))
                .isInstanceOf(NoClassDefFoundError.class);
        assertThat(open).hasValue(0);
    }

    private static Throwable failure(DataSource dataSource) {
        return catchThrowable(() -> OwnTransaction.begin(dataSource, Connection.TRANSACTION_SERIALIZABLE));
    }
}
