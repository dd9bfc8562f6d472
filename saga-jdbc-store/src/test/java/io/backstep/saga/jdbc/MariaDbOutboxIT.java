package io.backstep.saga.jdbc;

class MariaDbOutboxIT extends JdbcOutboxContract {
    MariaDbOutboxIT() {
        super(ParticipantDatabase.MARIADB);
    }
}
