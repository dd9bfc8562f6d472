package io.backstep.saga.jdbc;

class PostgresOutboxIT extends JdbcOutboxContract {
    PostgresOutboxIT() {
        super(ParticipantDatabase.POSTGRESQL);
    }
}
