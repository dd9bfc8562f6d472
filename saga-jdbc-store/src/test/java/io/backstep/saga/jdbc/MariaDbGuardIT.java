package io.backstep.saga.jdbc;

/** At the server's own isolation, REPEATABLE READ. */
class MariaDbGuardIT extends JdbcGuardContract {
    MariaDbGuardIT() {
        super(ParticipantDatabase.MARIADB);
    }
}
