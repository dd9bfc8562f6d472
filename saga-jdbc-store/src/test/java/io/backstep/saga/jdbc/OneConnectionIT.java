package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.Step;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.ConfirmationAnswer;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.Stock;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Participants need no connection but that of the transaction they are in, not even the first time: a pool may have but one. */
class OneConnectionIT {
    private static final Duration HOUR = Duration.ofHours(1);

    private static HikariDataSource pool(ParticipantDatabase database) {
        return database.open(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionTimeout(1_000);
        });
    }

    private static ParticipantGuard<String> guard(HikariDataSource pool, JdbcTransactions transactions) {
        return new ParticipantGuards(JdbcGuardStore.create(pool, transactions), transactions)
                .guard(Step.named("book", String.class));
    }

    @ParameterizedTest
    @EnumSource
    void a_guard_works_on_the_callers_connection_alone(ParticipantDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Connection callers = pool.getConnection()) {
            callers.setAutoCommit(false);
            JdbcTransactions transactions = new JdbcTransactions(pool);
            ParticipantGuard<String> guard = guard(pool, transactions);

            transactions.join(callers, () -> {
                assertThat(guard.action("a", () -> "first")).isEqualTo("first");
                assertThat(guard.action("a", () -> "second")).isEqualTo("first");
                assertThat(guard.confirmation("a", recorded -> {})).isEqualTo(ConfirmationAnswer.DONE);
                assertThat(guard.compensation("b", recorded -> {})).isEqualTo(CompensationAnswer.EMPTY);
            });
            callers.commit();
        }
    }

    @ParameterizedTest
    @EnumSource
    void so_does_the_outbox(ParticipantDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database)) {
            JdbcTransactions transactions = new JdbcTransactions(pool);
            JdbcOutboxStore outbox = JdbcOutboxStore.create(pool, transactions);

            transactions.run(() -> outbox.insert(UUID.randomUUID(), OutboxMessage.of("order", "1", "placed")));

            assertThat(outbox.backlog().waiting()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void so_do_reservations(ParticipantDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Connection callers = pool.getConnection()) {
            callers.setAutoCommit(false);
            JdbcTransactions transactions = new JdbcTransactions(pool);
            JdbcReservations reservations = JdbcReservations.create(pool, transactions);

            transactions.join(callers, () -> {
                reservations.change("lamp", 5);
                reservations.tryReserve("a", "lamp", 2, HOUR);
                reservations.tryReserve("b", "lamp", 1, HOUR);
                reservations.confirm("a");
                reservations.cancel("b");
                assertThat(reservations.stock("lamp")).contains(new Stock(3, 0));
            });
            callers.commit();
        }
    }

    @ParameterizedTest
    @EnumSource
    void in_transactions_of_their_own_one_is_enough_as_well(ParticipantDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database)) {
            JdbcTransactions transactions = new JdbcTransactions(pool);
            JdbcReservations reservations = JdbcReservations.create(pool, transactions);

            assertThat(guard(pool, transactions).action("a", () -> "first")).isEqualTo("first");
            assertThat(guard(pool, transactions).remote(HOUR).action("b", () -> "far"))
                    .isEqualTo("far");
            reservations.change("lamp", 5);
            reservations.tryReserve("c", "lamp", 2, HOUR);
            assertThat(reservations.sweep()).isZero();
        }
    }
}
