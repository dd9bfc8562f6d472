package io.backstep.saga.jdbc;

class MariaDbIdempotencyIT extends JdbcIdempotencyContract {
    MariaDbIdempotencyIT() {
        super(ParticipantDatabase.MARIADB);
    }
}
