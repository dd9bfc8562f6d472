package io.backstep.saga.jdbc;

/** At the server's own isolation, REPEATABLE READ. */
class MariaDbGuardIT extends JdbcGuardContract {
    @Override
    TestDatabase database() {
        return TestDatabase.mariaDb();
    }

    @Override
    String product() {
        return "mariadb";
    }

    @Override
    String earlier(String column) {
        return column + " - interval ? microsecond";
    }
}
