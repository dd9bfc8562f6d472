package io.backstep.saga.jdbc;

class H2OutboxIT extends JdbcOutboxContract {
    H2OutboxIT() {
        super(ParticipantDatabase.H2);
    }
}
