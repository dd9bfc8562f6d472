package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

class PostgresFaultsIT extends FaultsContract {
    private static final String KILL_WHO_WAITS = """
            select pg_terminate_backend(pid) from pg_stat_activity
              where wait_event_type = 'Lock' and datname = current_database()
            """;

    @Override
    TestDatabase database() {
        return TestDatabase.postgres();
    }

    @Override
    Object parameter(UUID id) {
        return id;
    }

    @Override
    void holdUpLines(Connection operator, UUID id) throws SQLException {
        TestDatabase.execute(operator, "lock table saga_step_history in exclusive mode");
    }

    @Override
    boolean killWhoWaits(HikariDataSource dataSource) {
        return !TestDatabase.strings(dataSource, KILL_WHO_WAITS).isEmpty();
    }
}
