package io.backstep.saga.jdbc;

class PostgresGuardIT extends JdbcGuardContract {
    @Override
    TestDatabase database() {
        return TestDatabase.postgres();
    }

    @Override
    String product() {
        return "postgresql";
    }

    @Override
    String earlier(String column) {
        return column + " - ? * interval '1 microsecond'";
    }
}
