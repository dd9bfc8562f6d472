package io.backstep.saga.jdbc;

class H2GuardIT extends JdbcGuardContract {
    @Override
    TestDatabase database() {
        return TestDatabase.h2();
    }

    @Override
    String product() {
        return "h2";
    }

    @Override
    String earlier(String column) {
        return "dateadd(microsecond, -?, " + column + ")";
    }

    /** H2 has none for both. */
    @Override
    int mostForARowThatIsThere() {
        return 3;
    }
}
