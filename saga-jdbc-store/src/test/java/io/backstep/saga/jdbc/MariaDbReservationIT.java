package io.backstep.saga.jdbc;

/** At the server's own isolation, REPEATABLE READ. */
class MariaDbReservationIT extends JdbcReservationContract {
    MariaDbReservationIT() {
        super(ParticipantDatabase.MARIADB);
    }
}
