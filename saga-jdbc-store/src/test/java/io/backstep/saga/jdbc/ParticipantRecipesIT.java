package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.Stock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The statements that the documentation hands to operators, taken from there. */
class ParticipantRecipesIT {
    private static final Path PAGE = Path.of("..", "docs", "participants.md");
    private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);
    private static final Duration HOUR = Duration.ofHours(1);

    private final String saga = UUID.randomUUID().toString();
    private HikariDataSource pool;
    private JdbcReservations reservations;

    @BeforeEach
    void open() {
        pool = ParticipantDatabase.POSTGRESQL.open(config -> {});
        reservations = JdbcReservations.create(pool, new JdbcTransactions(pool));
        reservations.change("lamp", 5);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private String statement(String beginning) throws Exception {
        List<String> found = SQL.matcher(Files.readString(PAGE))
                .results()
                .flatMap(block -> Stream.of(block.group(1).split(";")))
                .map(String::strip)
                .filter(statement -> statement.startsWith(beginning))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0).replace("ID", saga);
    }

    private List<String> ask(String beginning) throws Exception {
        return TestDatabase.strings(pool, statement(beginning));
    }

    private void expire() {
        TestDatabase.execute(pool, "update saga_reservation set expires_at = expires_at - interval '2 hours'");
    }

    @Test
    void what_is_known_of_a_reservation_is_found() throws Exception {
        reservations.tryReserve(saga + ":reserve", "lamp", 2, HOUR);

        assertThat(ask("select state, changed_at")).containsExactly("DONE");
        assertThat(ask("select item, quantity")).containsExactly("lamp");

        reservations.confirm(saga + ":reserve");
        assertThat(ask("select state, changed_at")).containsExactly("CONFIRMED");
        assertThat(ask("select item, quantity")).isEmpty();
    }

    @Test
    void what_has_expired_is_taken_out_by_hand_if_it_is_there() throws Exception {
        reservations.tryReserve(saga + ":reserve", "lamp", 2, HOUR);
        expire();
        reservations.sweep();
        assertThatThrownBy(() -> reservations.confirm(saga + ":reserve")).hasMessageStartingWith("SAGA-GRD-010");
        assertThat(ask("select state, changed_at")).containsExactly("COMPENSATED");

        String takeOut = statement("update saga_stock");
        assertThat(TestDatabase.execute(pool, takeOut)).isEqualTo(1);
        assertThat(reservations.stock("lamp")).contains(new Stock(3, 0));
        assertThat(TestDatabase.execute(pool, takeOut)).isEqualTo(1);
        assertThat(TestDatabase.execute(pool, takeOut)).isZero();
    }

    @Test
    void a_confirmation_that_finds_no_row_leaves_one_and_the_sweep_gives_back_what_is_held() throws Exception {
        reservations.tryReserve(saga + ":reserve", "lamp", 2, HOUR);
        TestDatabase.execute(pool, "delete from saga_guard");

        assertThatThrownBy(() -> reservations.confirm(saga + ":reserve")).hasMessageStartingWith("SAGA-GRD-011");
        assertThat(ask("select state, changed_at")).containsExactly("CANCELLED");
        assertThat(ask("select item, quantity")).containsExactly("lamp");

        expire();
        assertThat(reservations.sweep()).isEqualTo(1);
        assertThat(reservations.stock("lamp")).contains(new Stock(5, 0));
    }

    @Test
    void what_does_not_add_up_is_found() throws Exception {
        reservations.tryReserve(saga + ":reserve", "lamp", 2, HOUR);
        assertThat(ask("select s.item")).isEmpty();

        TestDatabase.execute(pool, "update saga_stock set frozen = 3");
        assertThat(ask("select s.item")).containsExactly("lamp");
    }

    @Test
    void orphans_are_listed_and_ended_by_hand() throws Exception {
        TestDatabase.execute(pool, "create table account (id int)");
        TwoPhaseParticipant debit = TwoPhaseParticipant.create("debit", pool);
        String key = saga + ":debit";
        debit.prepare(key, connection -> TestDatabase.execute(connection, "insert into account values (1)"));

        assertThat(ask("select gid")).containsExactly("saga:debit:" + key);
        assertThat(statement("select gid")).contains("split_part(gid, ':', 3) as saga_id");
        assertThat(TestDatabase.strings(
                        pool,
                        "select split_part(gid, ':', 3) from pg_prepared_xacts where gid = ?",
                        "saga:debit:" + key))
                .containsExactly(saga);

        TestDatabase.execute(pool, statement("rollback prepared"));
        assertThat(ask("select gid")).isEmpty();
        assertThat(debit.rollback(key)).isEqualTo(CompensationAnswer.EMPTY);
        assertThatThrownBy(() -> debit.prepare(key, connection -> {})).isInstanceOf(OperationRefusedException.class);

        String other = UUID.randomUUID() + ":debit";
        debit.prepare(other, connection -> TestDatabase.execute(connection, "insert into account values (2)"));
        TestDatabase.execute(pool, statement("commit prepared").replace(key, other));
        assertThat(TestDatabase.strings(pool, "select id from account")).containsExactly("2");
        assertThat(debit.commit(other).name()).isEqualTo("DUPLICATE");
    }
}
