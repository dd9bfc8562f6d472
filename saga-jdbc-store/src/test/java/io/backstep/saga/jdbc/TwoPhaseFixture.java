package io.backstep.saga.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** A database with accounts and the tables for participants. */
final class TwoPhaseFixture implements AutoCloseable {
    final HikariDataSource dataSource;

    private TwoPhaseFixture(HikariDataSource dataSource) {
        this.dataSource = dataSource;
    }

    static TwoPhaseFixture open() {
        TwoPhaseFixture fixture =
                new TwoPhaseFixture(ParticipantDatabase.POSTGRESQL.open(config -> config.setMaximumPoolSize(24)));
        TestDatabase.execute(
                fixture.dataSource,
                "create table account (id varchar(40) primary key, balance bigint not null check (balance >= 0))");
        return fixture;
    }

    String account(long balance) {
        String id = UUID.randomUUID().toString();
        TestDatabase.execute(dataSource, "insert into account values (?, ?)", id, balance);
        return id;
    }

    static void move(Connection connection, String account, long amount) throws SQLException {
        TestDatabase.execute(connection, "update account set balance = balance + ? where id = ?", amount, account);
    }

    long balance(String account) {
        return Long.parseLong(TestDatabase.strings(dataSource, "select balance from account where id = ?", account)
                .get(0));
    }

    /** Of all accounts. */
    long money() {
        return Long.parseLong(TestDatabase.strings(dataSource, "select sum(balance) from account")
                .get(0));
    }

    /** Names of what is prepared in this database. */
    List<String> prepared() {
        return TestDatabase.strings(
                dataSource, "select gid from pg_prepared_xacts where database = current_database() order by gid");
    }

    @Override
    public void close() {
        prepared().forEach(gid -> TestDatabase.execute(dataSource, "rollback prepared '" + gid + "'"));
        dataSource.close();
    }
}
