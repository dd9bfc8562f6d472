package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.Stock;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** A participant's own database: with its tables, and none of the sagas. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReservationFixture {
    static final Duration HOUR = Duration.ofHours(1);

    private final ParticipantDatabase database;
    HikariDataSource dataSource;
    JdbcTransactions transactions;
    JdbcReservations reservations;

    ReservationFixture(ParticipantDatabase database) {
        this.database = database;
    }

    void configure(HikariConfig config) {}

    @BeforeAll
    void open() {
        dataSource = database.open(config -> {
            config.setMaximumPoolSize(24);
            config.setLeakDetectionThreshold(30_000);
            configure(config);
        });
        transactions = new JdbcTransactions(dataSource);
        reservations = JdbcReservations.create(dataSource, transactions);
    }

    @AfterAll
    void close() {
        if (dataSource != null) { // else there is no such server: the cases are skipped
            dataSource.close();
        }
    }

    static String anId() {
        return UUID.randomUUID() + ":reserve";
    }

    /** A new item. */
    String item(long quantity) {
        String item = "item " + UUID.randomUUID();
        reservations.change(item, quantity);
        return item;
    }

    void assertStock(String item, long available, long frozen) {
        assertThat(reservations.stock(item)).contains(new Stock(available, frozen));
    }

    /** What the lines say is frozen. */
    long held(String item) {
        return Long.parseLong(TestDatabase.strings(
                        dataSource, "select coalesce(sum(quantity), 0) from saga_reservation where item = ?", item)
                .get(0));
    }

    /** How many lines. */
    int expire(String id) {
        return TestDatabase.execute(
                dataSource,
                "update saga_reservation set " + database.earlier("expires_at") + " where reservation_id = ?",
                Rows.micros(HOUR.multipliedBy(2)),
                id);
    }

    /** What the guard knows of the id is forgotten. */
    void purge(String id) throws Exception {
        Duration days = Duration.ofDays(2);
        TestDatabase.execute(
                dataSource,
                "update saga_guard set " + database.earlier("changed_at") + " where operation_id = ?",
                Rows.micros(days),
                id);
        new ParticipantGuards(JdbcGuardStore.create(dataSource, transactions), transactions).purge(Duration.ofDays(1));
    }

    /** The answer, or the code of the refusal. */
    static String answer(Callable<?> call) {
        try {
            Object answer = call.call();
            return answer instanceof Enum<?> word ? word.name() : "YES";
        } catch (StepRejectedException e) {
            return e.code();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
