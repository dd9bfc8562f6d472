package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.participant.InsufficientStockException;
import io.backstep.saga.participant.Reservation;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Reservations on each database. */
abstract class JdbcReservationContract extends ReservationFixture {
    JdbcReservationContract(ParticipantDatabase database) {
        super(database);
    }

    private String tried(String id, String item, long quantity) {
        return answer(() -> reservations.tryReserve(id, item, quantity, HOUR));
    }

    private String confirmed(String id) {
        return answer(() -> reservations.confirm(id));
    }

    private String cancelled(String id) {
        return answer(() -> reservations.cancel(id));
    }

    @Test
    void what_is_tried_is_frozen_and_what_is_confirmed_is_gone() {
        String item = item(5);
        String id = anId();

        assertThat(reservations.tryReserve(id, item, 2, HOUR)).isEqualTo(new Reservation(id, Map.of(item, 2L)));
        assertThat(tried(id, item, 2)).isEqualTo("YES");
        assertStock(item, 3, 2);

        assertThat(confirmed(id)).isEqualTo("DONE");
        assertThat(confirmed(id)).isEqualTo("DUPLICATE");
        assertStock(item, 3, 0);
        assertThat(cancelled(id)).isEqualTo("SAGA-GRD-012");
        assertStock(item, 3, 0);
    }

    @Test
    void what_is_cancelled_is_available_again() {
        String item = item(5);
        String id = anId();
        tried(id, item, 5);

        assertThat(cancelled(id)).isEqualTo("DONE");
        assertThat(cancelled(id)).isEqualTo("DUPLICATE");

        assertStock(item, 5, 0);
        assertThat(tried(id, item, 1)).isEqualTo("SAGA-GRD-001");
        assertThat(confirmed(id)).isEqualTo("SAGA-GRD-010");
        assertStock(item, 5, 0);
    }

    @Test // F130: as of a saga's compensation before its action
    void a_cancel_before_its_try_is_recorded_and_the_late_try_is_refused() {
        String item = item(5);
        String id = anId();

        assertThat(cancelled(id)).isEqualTo("EMPTY");

        assertThat(tried(id, item, 1)).isEqualTo("SAGA-GRD-001");
        assertStock(item, 5, 0);
    }

    @Test
    void more_than_there_is_is_a_no_that_leaves_nothing_and_may_be_tried_again() {
        String much = item(5);
        String little = item(1);
        String id = anId();
        Map<String, Long> items = Map.of(much, 2L, little, 2L);

        assertThatThrownBy(() -> reservations.tryReserve(id, items, HOUR))
                .isInstanceOfSatisfying(
                        InsufficientStockException.class,
                        no -> assertThat(no.item()).isEqualTo(little))
                .hasMessageContainingAll("SAGA-RSV-001", little);
        assertStock(much, 5, 0);
        assertStock(little, 1, 0);
        assertThat(held(much)).isZero();

        reservations.change(little, 1);
        assertThat(reservations.tryReserve(id, items, HOUR).items()).isEqualTo(items);
        assertStock(much, 3, 2);
        assertStock(little, 0, 2);
        assertThat(tried(anId(), "no such item", 1)).isEqualTo("SAGA-RSV-001");
    }

    @Test
    void a_try_that_fails_in_a_transaction_that_is_committed_all_the_same_leaves_nothing() throws Exception {
        String much = item(5);
        String little = item(1);
        String id = anId();
        Map<String, Long> items = Map.of(much, 2L, little, 2L);

        transactions.inTransaction(() -> {
            assertThatThrownBy(() -> reservations.tryReserve(id, items, HOUR))
                    .isInstanceOf(InsufficientStockException.class);
            return true;
        });

        assertStock(much, 5, 0);
        assertThat(held(much)).isZero();
        reservations.change(little, 1);
        assertThat(reservations.tryReserve(id, items, HOUR).items()).isEqualTo(items);
        assertThat(cancelled(id)).isEqualTo("DONE");
        assertStock(much, 5, 0);
        assertStock(little, 2, 0);
    }

    @Test
    void a_reservation_goes_with_the_callers_transaction() {
        String item = item(5);
        String id = anId();

        assertThatThrownBy(() -> transactions.inTransaction(() -> {
                    reservations.tryReserve(id, item, 2, HOUR);
                    assertStock(item, 3, 2);
                    throw new IllegalStateException("planned");
                }))
                .hasMessage("planned");

        assertStock(item, 5, 0);
        assertThat(cancelled(id)).isEqualTo("EMPTY");
    }

    @Test
    void what_has_expired_is_given_back_and_neither_confirmed_nor_tried_again() {
        String item = item(5);
        String id = anId();
        String young = anId();
        tried(id, item, 2);
        tried(young, item, 1);
        expire(id);

        assertThat(reservations.sweep()).isEqualTo(1);
        assertThat(reservations.sweep()).isZero();

        assertStock(item, 4, 1);
        assertThat(confirmed(id)).isEqualTo("SAGA-GRD-010");
        assertThat(tried(id, item, 2)).isEqualTo("SAGA-GRD-001");
        assertThat(cancelled(id)).isEqualTo("DUPLICATE");
        assertThat(confirmed(young)).isEqualTo("DONE");
        assertStock(item, 4, 0);
    }

    @Test
    void what_has_expired_and_is_not_swept_yet_can_still_be_confirmed() {
        String item = item(5);
        String id = anId();
        tried(id, item, 2);
        expire(id);

        assertThat(confirmed(id)).isEqualTo("DONE");

        assertThat(reservations.sweep()).isZero();
        assertStock(item, 3, 0);
    }

    @Test
    void many_that_have_expired_are_given_back_in_batches_by_two_sweepers_at_once() throws Exception {
        String item = item(300);
        for (int i = 0; i < 250; i++) {
            String id = anId();
            tried(id, item, 1);
            expire(id);
        }

        try (AtOnce together = new AtOnce()) {
            List<Integer> swept = together.run(List.of(reservations::sweep, reservations::sweep));
            assertThat(swept.get(0) + swept.get(1) + reservations.sweep()).isEqualTo(250);
        }

        assertStock(item, 300, 0);
    }

    /** The guard's row, which says that nothing was there, keeps no two of them apart. */
    @Test
    void what_the_guard_has_forgotten_is_given_back_once_by_two_sweepers_at_once() throws Exception {
        String item = item(100);
        for (int i = 0; i < 60; i++) {
            String id = anId();
            tried(id, item, 1);
            TestDatabase.execute(dataSource, "delete from saga_guard where operation_id = ?", id);
            assertThat(cancelled(id)).isEqualTo("EMPTY");
            expire(id);
        }

        try (AtOnce together = new AtOnce()) {
            List<Integer> swept = together.run(List.of(reservations::sweep, reservations::sweep, reservations::sweep));
            assertThat(swept.stream().mapToInt(Integer::intValue).sum()).isGreaterThanOrEqualTo(60);
        }

        assertStock(item, 100, 0);
    }

    /** As a sweeper does that has read them before another gave them back. */
    @Test
    void lines_that_are_gone_are_not_moved_again() throws Exception {
        String item = item(5);
        String id = anId();
        tried(anId(), item, 2);
        tried(id, item, 1);

        transactions.run(() -> {
            Connection connection = transactions.connection();
            Product product = SagaSchema.product(connection);
            Sql sql = new Sql(SagaSchema.Options.DEFAULT, product);
            ReservationStatements statements =
                    new ReservationStatements(sql, product.dialect(sql, new Reach(System::nanoTime)));
            Reservation read = statements.lines(connection, id);
            statements.giveBack(connection, read);
            statements.giveBack(connection, read);
        });

        assertStock(item, 3, 2);
    }

    @Test
    void what_is_locked_is_left_for_the_next_sweep_and_does_not_stop_the_others() throws Exception {
        String item = item(5);
        String locked = anId();
        String free = anId();
        tried(locked, item, 1);
        tried(free, item, 1);
        expire(locked);
        expire(free);

        try (AtOnce together = new AtOnce()) {
            int meanwhile = transactions.inTransaction(() -> {
                TestDatabase.execute(
                        transactions.connection(),
                        "update saga_guard set state = state where operation_id = ?",
                        locked);
                return together.run(List.<Callable<Integer>>of(reservations::sweep))
                        .get(0);
            });
            assertThat(meanwhile).isEqualTo(1);
        }

        assertThat(reservations.sweep()).isEqualTo(1);
        assertStock(item, 5, 0);
    }

    @Test
    void a_sweep_inside_a_transaction_is_refused() {
        assertThatThrownBy(() -> transactions.inTransaction(reservations::sweep))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("SAGA-GRD-005");
    }

    @Test // M8
    void never_is_more_reserved_than_there_is() throws Exception {
        String item = item(7);

        List<String> answers = atOnce(20, number -> tried(anId(), item, 1));

        assertThat(Collections.frequency(answers, "YES")).isEqualTo(7);
        assertThat(Collections.frequency(answers, "SAGA-RSV-001")).isEqualTo(13);
        assertStock(item, 0, 7);
    }

    @Test
    void orders_of_many_items_in_any_order_wait_for_each_other_without_a_deadlock() throws Exception {
        List<String> items = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            items.add(item(1_000));
        }
        for (int round = 0; round < 10; round++) {
            atOnce(8, number -> {
                List<String> mine = new ArrayList<>(items);
                Collections.rotate(mine, number);
                Map<String, Long> wanted = new LinkedHashMap<>();
                mine.forEach(item -> wanted.put(item, 1L));
                String id = anId();
                reservations.tryReserve(id, wanted, HOUR);
                return number % 2 == 0 ? confirmed(id) : cancelled(id);
            });
        }

        items.forEach(item -> assertStock(item, 960, 0));
    }

    @Test // F046
    void of_twenty_cancels_at_once_without_a_try_one_is_recorded_and_no_deadlock_escapes() throws Exception {
        for (int round = 0; round < 20; round++) {
            String id = anId();

            List<String> answers = atOnce(20, number -> cancelled(id));

            assertThat(answers).containsOnlyOnce("EMPTY");
            assertThat(Collections.frequency(answers, "DUPLICATE")).isEqualTo(19);
        }
    }

    @Test
    void of_a_sweeper_and_a_confirmation_at_once_one_wins() throws Exception {
        String item = item(400);
        int confirmations = 0;
        try (AtOnce together = new AtOnce()) {
            for (int round = 0; round < 200; round++) {
                String id = anId();
                tried(id, item, 1);
                expire(id);

                List<String> answers = together.run(List.of(() -> confirmed(id), () -> "" + reservations.sweep()));

                assertThat(answers).isIn(List.of("DONE", "0"), List.of("SAGA-GRD-010", "1"));
                confirmations += answers.get(0).equals("DONE") ? 1 : 0;
                assertStock(item, 400 - confirmations, 0);
            }
        }
        System.out.println(getClass().getSimpleName() + ": " + confirmations + " of 200 confirmed, the others swept");
    }

    @Test
    void whatever_comes_at_once_nothing_is_lost_and_nothing_made() throws Exception {
        String item = item(1_000);
        long confirmed = 0;
        try (AtOnce together = new AtOnce()) {
            for (int round = 0; round < 100; round++) {
                String id = anId();
                boolean before = round % 3 != 0;
                if (before) {
                    tried(id, item, 3);
                    expire(id);
                }

                List<String> answers = together.run(List.of(
                        () -> tried(id, item, 3),
                        () -> tried(id, item, 3),
                        () -> cancelled(id),
                        () -> cancelled(id),
                        () -> confirmed(id),
                        () -> "" + reservations.sweep()));

                boolean done = answers.get(4).equals("DONE");
                assertThat(answers.subList(2, 4).contains("DONE") && done)
                        .as("" + answers)
                        .isFalse();
                confirmed += done ? 3 : 0;
                assertThat(cancelled(id)).as("" + answers).isEqualTo(done ? "SAGA-GRD-012" : "DUPLICATE");
                assertStock(item, 1_000 - confirmed, 0);
                assertThat(held(item)).isZero();
            }
        }
    }

    /** All of them are run by {@code -Dsaga.reservation.orders=1260}. */
    @Test
    void in_no_order_of_calls_sweeps_and_purges_is_a_quantity_lost() throws Exception {
        ReservationOrders orders = new ReservationOrders(this);
        assertThat(orders.all()).isEqualTo(1260);
        int many = Objects.requireNonNull(Integer.getInteger("saga.reservation.orders", 120));

        orders.run(many);

        System.out.println(getClass().getSimpleName() + ": " + many + " orders, 0 wrong");
    }

    @Test
    void stock_never_becomes_negative() {
        String item = item(2);

        assertThatThrownBy(() -> reservations.change(item, -3)).isInstanceOf(InsufficientStockException.class);
        reservations.change(item, -2);

        assertStock(item, 0, 0);
        assertThat(reservations.stock("no such item")).isEmpty();
    }

    @Test
    void arguments_that_make_no_sense_are_refused() {
        String item = item(2);
        assertThatThrownBy(() -> reservations.tryReserve(anId(), item, 0, HOUR))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageContaining("more than zero");
        assertThatThrownBy(() -> reservations.tryReserve(anId(), item, 1, Duration.ZERO))
                .isInstanceOf(SagaRequestException.class);
        assertThatThrownBy(() -> reservations.tryReserve(anId(), Map.of(), HOUR))
                .isInstanceOf(SagaRequestException.class);
        assertThatThrownBy(() -> reservations.tryReserve(anId(), "x".repeat(201), 1, HOUR))
                .isInstanceOf(SagaRequestException.class);
        assertThatThrownBy(() -> reservations.tryReserve("", item, 1, HOUR)).isInstanceOf(SagaRequestException.class);
        assertStock(item, 2, 0);
    }

    @Test
    void reserved_stock_whose_row_is_gone_is_told_and_does_not_stop_the_sweep() {
        String gone = item(1);
        String other = item(1);
        String bad = anId();
        String good = anId();
        tried(bad, gone, 1);
        tried(good, other, 1);
        TestDatabase.execute(dataSource, "delete from saga_stock where item = ?", gone);

        assertThatThrownBy(() -> reservations.cancel(bad)).hasMessageContaining("SAGA-RSV-002");
        expire(bad);
        expire(good);
        assertThat(reservations.sweep()).isEqualTo(1);

        TestDatabase.execute(dataSource, "insert into saga_stock values (?, 0, 1)", gone);
        assertThat(reservations.sweep()).isEqualTo(1);
        assertStock(gone, 1, 0);
    }

    @Test
    void however_many_cannot_be_released_the_sweep_comes_to_those_behind_them() {
        String gone = item(250);
        String other = item(1);
        for (int i = 0; i < 120; i++) {
            String bad = anId();
            tried(bad, gone, 2);
            expire(bad);
        }
        String good = anId();
        tried(good, other, 1);
        expire(good);
        TestDatabase.execute(dataSource, "delete from saga_stock where item = ?", gone);

        assertThat(reservations.sweep()).isEqualTo(1);
        assertStock(other, 1, 0);

        TestDatabase.execute(dataSource, "insert into saga_stock values (?, 0, 240)", gone);
        assertThat(reservations.sweep()).isEqualTo(120);
        assertStock(gone, 240, 0);
    }

    private interface Numbered {
        String run(int number) throws Exception;
    }

    private static List<String> atOnce(int many, Numbered call) throws Exception {
        List<Callable<String>> calls = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            int number = i;
            calls.add(() -> call.run(number));
        }
        try (AtOnce together = new AtOnce()) {
            return together.run(calls);
        }
    }
}
