package io.backstep.saga.jdbc;

class PostgresIdempotencyIT extends JdbcIdempotencyContract {
    PostgresIdempotencyIT() {
        super(ParticipantDatabase.POSTGRESQL);
    }
}
