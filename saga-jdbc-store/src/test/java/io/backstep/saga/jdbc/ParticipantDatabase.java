package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.function.Consumer;

/** A database with the tables that participants need, and none of the sagas. */
enum ParticipantDatabase {
    POSTGRESQL(
            "%s - ? * interval '1 microsecond'",
            "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"),
    MARIADB(
            "%s - interval ? microsecond",
            "select trx_id from information_schema.innodb_trx where trx_state = 'LOCK WAIT'"),
    H2(
            "dateadd(microsecond, -?, %s)",
            "select session_id from information_schema.sessions where blocker_id is not null");

    private final String earlier;
    private final String whoWaits;

    ParticipantDatabase(String earlier, String whoWaits) {
        this.earlier = earlier;
        this.whoWaits = whoWaits;
    }

    /** A query for the sessions that wait for a lock. */
    String whoWaits() {
        return whoWaits;
    }

    HikariDataSource open(Consumer<HikariConfig> settings) {
        TestDatabase database = switch (this) {
            case POSTGRESQL -> TestDatabase.postgres();
            case MARIADB -> TestDatabase.mariaDb();
            case H2 -> TestDatabase.h2();
        };
        HikariDataSource pool = database.pool(settings);
        for (String statement : SagaSchema.participantDdl(name()).split(";")) {
            if (!statement.isBlank()) {
                TestDatabase.execute(pool, statement);
            }
        }
        return pool;
    }

    /** A time so many microseconds (a parameter) earlier. */
    String earlier(String column) {
        return column + " = " + earlier.formatted(column);
    }
}
