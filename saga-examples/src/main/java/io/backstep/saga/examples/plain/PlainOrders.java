package io.backstep.saga.examples.plain;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.engine.SagaInstance;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.sql.Connection;
import java.util.UUID;
import javax.sql.DataSource;

/** Places some orders, without Spring, and prints what becomes of them. */
public final class PlainOrders {
    private static final String IN_MEMORY = "jdbc:h2:mem:plain-orders;DB_CLOSE_DELAY=-1";

    private final OrderService service;
    private final DataSource dataSource;
    private final PrintStream out;
    private final String run = UUID.randomUUID().toString().substring(0, 8); // each run places orders of its own

    private PlainOrders(OrderService service, DataSource dataSource, PrintStream out) {
        this.service = service;
        this.dataSource = dataSource;
        this.out = out;
    }

    /**
     * Runs it.
     *
     * @param args nothing, or a JDBC URL of PostgreSQL or H2, then user and password if they are needed
     * @throws Exception when the database does not answer
     */
    public static void main(String[] args) throws Exception {
        // only because Spring Boot's Logback is on this example's class path, which would say everything
        System.setProperty("logback.configurationFile", "logback-plain.xml");
        try (HikariDataSource dataSource = pool(args);
                OrderService service = new OrderService(dataSource)) {
            new PlainOrders(service, dataSource, System.out).run();
        }
    }

    private static HikariDataSource pool(String[] args) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args.length > 0 ? args[0] : IN_MEMORY);
        if (args.length > 2) {
            config.setUsername(args[1]);
            config.setPassword(args[2]);
        }
        return new HikariDataSource(config);
    }

    private void run() throws Exception {
        service.deliver("book", 10);
        show("An order that completes", service.place(order("1", "good")));
        show("A payment that is declined: the rest is undone, last first", service.place(order("2", "declined")));
        show("Noted and started in one transaction", service.receive(order("3", "good")));
        show("The same in a transaction of the caller's", inOwnTransaction(order("4", "good"), true));
        inOwnTransaction(order("5", "good"), false);
        out.println("Noted and started, and rolled back: "
                + (service.knows(order("5", "good").reference()) ? "it exists" : "nothing is left"));
    }

    private UUID inOwnTransaction(PlaceOrder order, boolean commit) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            UUID saga = service.receive(connection, order);
            if (commit) {
                connection.commit();
            } else {
                connection.rollback();
            }
            return saga;
        }
    }

    private PlaceOrder order(String number, String card) {
        return new PlaceOrder(run + "-" + number, "book", 1, new BigDecimal("12.50"), card);
    }

    private void show(String title, UUID saga) {
        SagaInstance end = service.await(saga);
        out.println(title + ": " + end.status());
        end.steps().forEach(step -> out.printf("  %-14s %s%n", step.name(), step.status()));
    }
}
