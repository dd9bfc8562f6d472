package io.backstep.saga.jdbc;

class H2GuardIT extends JdbcGuardContract {
    H2GuardIT() {
        super(ParticipantDatabase.H2);
    }

    /** H2 has none for both. */
    @Override
    int forARowThatIsThere() {
        return 3;
    }
}
