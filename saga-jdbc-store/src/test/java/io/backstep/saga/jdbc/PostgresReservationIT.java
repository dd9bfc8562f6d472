package io.backstep.saga.jdbc;

class PostgresReservationIT extends JdbcReservationContract {
    PostgresReservationIT() {
        super(ParticipantDatabase.POSTGRESQL);
    }
}
