package io.backstep.saga.examples.transfer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.engine.SagaInstance;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

/** Transfers money between two databases, and prints what becomes of it. */
public final class Transfers {
    private static final int URLS = 2;
    private static final int WITH_LOGIN = 4;

    private final DataSource here;
    private final DataSource there;
    private final PrintStream out;
    private final String anna =
            "anna-" + UUID.randomUUID().toString().substring(0, 8); // each run has accounts of its own
    private final String ben = "ben-" + UUID.randomUUID().toString().substring(0, 8);

    private Transfers(DataSource here, DataSource there, PrintStream out) {
        this.here = here;
        this.there = there;
        this.out = out;
    }

    /**
     * Runs it.
     *
     * @param args nothing, then a PostgreSQL of its own is started for it; or the JDBC URLs of two PostgreSQL databases, then user and
     *     password for both if they are needed
     * @throws Exception when one does not answer, or prepares no transactions
     */
    public static void main(String[] args) throws Exception {
        // only because Spring Boot's Logback is on this example's class path, which would say everything
        System.setProperty("logback.configurationFile", "logback-plain.xml");
        if (args.length > 0) {
            print(System.out, args);
        } else {
            try (OwnPostgres own = OwnPostgres.start()) {
                print(System.out, own.arguments());
            }
        }
    }

    static void print(PrintStream out, String... args) throws SQLException {
        if (args.length < URLS) {
            throw new IllegalArgumentException(
                    "two JDBC URLs are needed, of PostgreSQL databases, then user and password; or nothing");
        }
        try (HikariDataSource here = pool(args, 0);
                HikariDataSource there = pool(args, 1)) {
            new Transfers(here, there, out).run();
        }
    }

    private static HikariDataSource pool(String[] args, int which) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[which]);
        if (args.length >= WITH_LOGIN) {
            config.setUsername(args[2]);
            config.setPassword(args[3]);
        }
        return new HikariDataSource(config);
    }

    private void run() throws SQLException {
        try (TransferService service = new TransferService(here, there)) {
            open(here, anna, 10_000);
            open(there, ben, 0);
            show("A transfer that both databases can do", service.transfer(transfer("1", ben, 2_500)));
            show("More than there is: here is a no", service.transfer(transfer("2", ben, 1_000_000)));
            show("An account that is not there: there is a no", service.transfer(transfer("3", "nobody", 100)));
            out.println("Left prepared by somebody: " + service.sweep(Duration.ZERO));
        }
    }

    private Transfer transfer(String number, String to, long cents) {
        return new Transfer(anna + "-" + number, anna, to, cents);
    }

    private void show(String title, SagaInstance end) throws SQLException {
        out.println(title + ": " + end.status());
        end.steps().forEach(step -> out.printf("  %-8s %s%n", step.name(), step.status()));
        out.printf("  here %d, there %d%n", cents(here, anna), cents(there, ben));
    }

    static void open(DataSource dataSource, String account, long cents) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Accounts.open(connection, account, cents);
        }
    }

    private static long cents(DataSource dataSource, String account) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Accounts.cents(connection, account).orElseThrow();
        }
    }
}
