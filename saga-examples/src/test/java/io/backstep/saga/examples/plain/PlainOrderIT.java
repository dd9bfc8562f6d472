package io.backstep.saga.examples.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.testsupport.TestPostgres;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class PlainOrderIT {
    enum Database {
        H2,
        POSTGRESQL
    }

    private static HikariDataSource dataSource;
    private static OrderService service;

    private final String sku = "sku-" + UUID.randomUUID();
    private final String reference = "ref-" + UUID.randomUUID();

    PlainOrderIT(Database ignored) {}

    @BeforeParameterizedClassInvocation
    static void startTheService(Database database) throws Exception {
        dataSource = new HikariDataSource();
        if (database == Database.H2) {
            dataSource.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
        } else {
            TestPostgres.Db db = TestPostgres.fresh();
            dataSource.setJdbcUrl(db.url());
            dataSource.setUsername(db.user());
            dataSource.setPassword(db.password());
        }
        service = new OrderService(dataSource);
    }

    @AfterParameterizedClassInvocation
    static void stopTheService() {
        service.close();
        dataSource.close();
    }

    @BeforeEach
    void deliver() throws Exception {
        service.deliver(sku, 5);
    }

    @Test
    void an_order_completes() throws Exception {
        UUID saga = service.place(order(2, "good"));

        assertThat(service.await(saga).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(rows("select reference, quantity, status from orders where id = ?", saga))
                .containsExactly(reference + " 2 CONFIRMED");
        assertThat(rows("select status from reservation where sku = ?", sku)).containsExactly("RESERVED");
        assertThat(rows("select available from stock where sku = ?", sku)).containsExactly("3");
        assertThat(rows("select amount, status from payment where id like ?", saga + "%"))
                .containsExactly("12.50 CHARGED");
        assertThat(rows("select text from mail where id like ?", saga + "%"))
                .containsExactly("Thank you for " + reference + ". You have paid 12.50.");
        assertThat(rows("select status from saga_instance where saga_id = ?", saga))
                .containsExactly("COMPLETED");
    }

    @Test
    void a_declined_order_is_undone_last_first() throws Exception {
        UUID saga = service.place(order(2, "declined"));

        assertThat(service.await(saga).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(rows("select status from orders where id = ?", saga)).containsExactly("REJECTED");
        assertThat(rows("select status from reservation where sku = ?", sku)).containsExactly("RELEASED");
        assertThat(rows("select available from stock where sku = ?", sku)).containsExactly("5");
        assertThat(rows("select status from payment where id like ?", saga + "%"))
                .containsExactly("DECLINED");
        assertThat(rows("select text from mail where id like ?", saga + "%")).isEmpty();
        assertThat(rows("select step, status from saga_compensation_log where saga_id = ? order by position", saga))
                .containsExactly("reserve SUCCEEDED", "create-order SUCCEEDED");
    }

    @Test
    void an_order_of_goods_that_are_not_there_is_undone() throws Exception {
        UUID saga = service.place(order(6, "good"));

        assertThat(service.await(saga).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(rows("select status from orders where id = ?", saga)).containsExactly("REJECTED");
        assertThat(rows("select available from stock where sku = ?", sku)).containsExactly("5");
        assertThat(rows("select status from payment where id like ?", saga + "%"))
                .isEmpty();
    }

    @Test
    void a_start_joins_the_transaction_that_notes_the_order() throws Exception {
        UUID saga = service.receive(order(1, "good"));

        assertThat(service.await(saga).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(rows("select reference from received_order where saga_id = ?", saga))
                .containsExactly(reference);
    }

    @Test
    void when_the_note_fails_there_is_no_saga() throws Exception {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement earlier = connection.prepareStatement("insert into received_order values (?, ?)")) {
            earlier.setString(1, reference);
            earlier.setObject(2, UUID.randomUUID());
            earlier.executeUpdate();
        }

        assertThatThrownBy(() -> service.receive(order(1, "good"))).isInstanceOf(SQLException.class);
        assertNothingIsLeft();
    }

    @Test
    void a_start_joins_a_transaction_that_the_caller_commits() throws Exception {
        UUID saga;
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            saga = service.receive(connection, order(1, "good"));
            assertThat(rows("select status from saga_instance where saga_id = ?", saga))
                    .isEmpty();
            connection.commit();
        }

        assertThat(service.await(saga).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(rows("select reference from received_order where saga_id = ?", saga))
                .containsExactly(reference);
    }

    @Test
    void a_start_in_a_transaction_that_the_caller_rolls_back_leaves_nothing() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            service.receive(connection, order(1, "good"));
            connection.rollback();
        }

        assertThat(rows("select saga_id from received_order where reference = ?", reference))
                .isEmpty();
        assertNothingIsLeft();
    }

    private void assertNothingIsLeft() throws SQLException {
        assertThat(rows("select saga_id from saga_instance where business_key = ?", reference))
                .isEmpty();
        assertThat(rows("select id from orders where reference = ?", reference)).isEmpty();
        assertThat(service.knows(reference)).isFalse();
    }

    @Test
    void participants_answer_the_same_key_once_and_refuse_what_comes_after_its_undoing() throws Exception {
        JdbcTransactions transactions = new JdbcTransactions(dataSource);
        Inventory inventory = new Inventory(transactions);
        Payments payments = new Payments(transactions);
        String key = reference;

        inventory.reserve(key, sku, 2);
        inventory.reserve(key, sku, 2);
        inventory.release(key);
        inventory.release(key);
        inventory.release(key + "-late");
        assertThatThrownBy(() -> inventory.reserve(key + "-late", sku, 2)).isInstanceOf(StepRejectedException.class);
        assertThat(rows("select available from stock where sku = ?", sku)).containsExactly("5");

        Payment first = payments.charge(key, "good", BigDecimal.TEN);
        assertThat(payments.charge(key, "good", BigDecimal.TEN)).isEqualTo(first);
        payments.refund(key);
        payments.refund(key + "-late");
        assertThatThrownBy(() -> payments.charge(key + "-late", "good", BigDecimal.TEN))
                .isInstanceOf(StepRejectedException.class);
        assertThat(rows("select status from payment where id like ?", key + "%"))
                .containsExactly("REFUNDED", "REFUNDED");
    }

    private PlaceOrder order(int quantity, String card) {
        return new PlaceOrder(reference, sku, quantity, new BigDecimal("12.50"), card);
    }

    /** Each row as its values with blanks between them, read by a connection of its own. */
    private static List<String> rows(String query, Object value) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setObject(1, value);
            List<String> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(line(rows));
                }
            }
            return found;
        }
    }

    private static String line(ResultSet rows) throws SQLException {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
            values.add(rows.getString(i));
        }
        return String.join(" ", values);
    }
}
