package io.backstep.saga.jdbc;

class H2ReservationIT extends JdbcReservationContract {
    H2ReservationIT() {
        super(ParticipantDatabase.H2);
    }
}
