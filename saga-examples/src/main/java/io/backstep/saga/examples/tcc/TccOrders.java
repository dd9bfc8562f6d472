package io.backstep.saga.examples.tcc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.jdbc.JdbcGuardStore;
import io.backstep.saga.jdbc.JdbcReservations;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.Stock;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

/** Places orders by try, confirm and cancel, and prints what becomes of them. */
public final class TccOrders {
    private static final String IN_MEMORY = "jdbc:h2:mem:tcc-orders;DB_CLOSE_DELAY=-1";
    private static final int WITH_LOGIN = 3;

    private final DataSource dataSource;
    private final PrintStream out;
    private final JdbcTransactions transactions;
    private final JdbcReservations reservations;
    private final Wallets wallets;
    private final String run =
            UUID.randomUUID().toString().substring(0, 8); // each run has an item and a customer of its own

    private TccOrders(DataSource dataSource, PrintStream out) {
        this.dataSource = dataSource;
        this.out = out;
        this.transactions = new JdbcTransactions(dataSource);
        this.reservations = JdbcReservations.create(dataSource, transactions);
        this.wallets = new Wallets(
                transactions, new ParticipantGuards(JdbcGuardStore.create(dataSource, transactions), transactions));
    }

    /**
     * Runs it.
     *
     * @param args nothing, or a JDBC URL of PostgreSQL, MariaDB or H2, then user and password if they are needed
     * @throws Exception when the database does not answer
     */
    public static void main(String[] args) throws Exception {
        // only because Spring Boot's Logback is on this example's class path, which would say everything
        System.setProperty("logback.configurationFile", "logback-plain.xml");
        print(System.out, args);
    }

    static void print(PrintStream out, String... args) throws Exception {
        try (HikariDataSource dataSource = pool(args)) {
            new TccOrders(dataSource, out).run();
        }
    }

    private static HikariDataSource pool(String[] args) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args.length > 0 ? args[0] : IN_MEMORY);
        if (args.length >= WITH_LOGIN) {
            config.setUsername(args[1]);
            config.setPassword(args[2]);
        }
        return new HikariDataSource(config);
    }

    private void run() throws Exception {
        makeTables();
        reservations.change(item(), 5);
        wallets.open(customer(), 10_000);
        try (SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(dataSource, transactions))
                .transactions(transactions)
                .build()) {
            engine.register(OrderSaga.definition(reservations, wallets));
            engine.start();
            show("Stock and money are there", order(engine, "1", 2, 5_000));
            show("Stock is there, money is not", order(engine, "2", 2, 7_500));
            show("Money is there, stock is not", order(engine, "3", 4, 5_000));
        }
        reservations.tryReserve(run + "-abandoned", item(), 1, Duration.ofMillis(1));
        show("Reserved by somebody who never came back");
        out.println("Given back by the sweep: " + sweep());
        show("Afterwards");
    }

    /** A service has a job for it; here the reservation expires at any moment. */
    private int sweep() {
        int released = 0;
        while (released == 0) {
            released = reservations.sweep();
        }
        return released;
    }

    private void makeTables() throws SQLException {
        SagaSchema.migrate(dataSource);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(Wallets.DDL);
        }
    }

    private String item() {
        return "lamp-" + run;
    }

    private String customer() {
        return "anna-" + run;
    }

    private SagaInstance order(SagaEngine engine, String number, long quantity, long cents) {
        Order order = new Order(run + "-" + number, customer(), item(), quantity, cents);
        SagaInstance started =
                engine.client().start(OrderSaga.TYPE, order, StartOptions.businessKey(order.reference()));
        return engine.client().await(started.sagaId(), Duration.ofSeconds(30));
    }

    private void show(String title, SagaInstance end) throws Exception {
        out.println(title + ": " + end.status());
        end.steps().forEach(step -> out.printf("  %-8s %s%n", step.name(), step.status()));
        state();
    }

    private void show(String title) throws Exception {
        out.println(title + ":");
        state();
    }

    private void state() throws Exception {
        Stock stock = reservations.stock(item()).orElseThrow();
        out.printf("  lamps    %d available, %d frozen%n", stock.available(), stock.frozen());
        out.printf("  money    %s%n", wallets.balance(customer()));
    }
}
