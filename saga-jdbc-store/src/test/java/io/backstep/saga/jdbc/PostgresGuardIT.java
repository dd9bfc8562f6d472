package io.backstep.saga.jdbc;

class PostgresGuardIT extends JdbcGuardContract {
    PostgresGuardIT() {
        super(ParticipantDatabase.POSTGRESQL);
    }
}
