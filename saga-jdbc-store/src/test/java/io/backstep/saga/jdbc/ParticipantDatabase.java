package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.function.Consumer;

/** A database with the tables that participants need, and none of the sagas. */
enum ParticipantDatabase {
    POSTGRESQL("%s - ? * interval '1 microsecond'"),
    MARIADB("%s - interval ? microsecond"),
    H2("dateadd(microsecond, -?, %s)");

    private final String earlier;

    ParticipantDatabase(String earlier) {
        this.earlier = earlier;
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
