package io.backstep.saga.jdbc;

class H2IdempotencyIT extends JdbcIdempotencyContract {
    H2IdempotencyIT() {
        super(ParticipantDatabase.H2);
    }
}
