package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.participant.Stock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** One reservation, and all that may happen to it, one after the other in every order, beside a model of what must come of it. */
final class ReservationOrders {
    /** The calls of a saga twice, as they may be delivered; and what goes on beside. */
    enum Call {
        TRY,
        CANCEL,
        CONFIRM,
        SWEEP,
        PURGE
    }

    private static final long STOCK = 10;
    private static final long QUANTITY = 3;
    private static final List<Call> CALLS =
            List.of(Call.TRY, Call.TRY, Call.CANCEL, Call.CANCEL, Call.CONFIRM, Call.SWEEP, Call.PURGE);

    private enum Known {
        NOTHING,
        TRIED,
        CONFIRMED,
        CANCELLED
    }

    private final ReservationFixture fixture;
    private final List<List<Call>> orders = new ArrayList<>();

    ReservationOrders(ReservationFixture fixture) {
        this.fixture = fixture;
        order(new ArrayList<>(), new ArrayList<>(CALLS));
    }

    private void order(List<Call> soFar, List<Call> left) {
        if (left.isEmpty()) {
            orders.add(List.copyOf(soFar));
            return;
        }
        for (Call next : List.copyOf(new LinkedHashSet<>(left))) {
            left.remove(next);
            soFar.add(next);
            order(soFar, left);
            soFar.remove(soFar.size() - 1);
            left.add(next);
        }
    }

    int all() {
        return orders.size();
    }

    /** Some, spread over all. */
    void run(int many) throws Exception {
        for (int i = 0; i < many; i++) {
            new Course(orders.get((int) ((long) i * 7919 % orders.size()))).run();
        }
    }

    private final class Course {
        private final List<Call> order;
        private final String id = ReservationFixture.anId();
        private final String item = fixture.item(STOCK);
        private Known known = Known.NOTHING;
        private long taken;
        private boolean held;

        Course(List<Call> order) {
            this.order = order;
        }

        void run() throws Exception {
            for (int i = 0; i < order.size(); i++) {
                String where = order + ", call " + i;
                String expected = expected(order.get(i));
                assertThat(made(order.get(i))).as(where).isEqualTo(expected);
                long frozen = held ? QUANTITY : 0;
                assertThat(fixture.reservations.stock(item))
                        .as(where)
                        .contains(new Stock(STOCK - taken - frozen, frozen));
                assertThat(fixture.held(item)).as(where).isEqualTo(frozen);
            }
        }

        private String made(Call call) throws Exception {
            JdbcReservations reservations = fixture.reservations;
            return switch (call) {
                case TRY ->
                    ReservationFixture.answer(
                            () -> reservations.tryReserve(id, item, QUANTITY, ReservationFixture.HOUR));
                case CANCEL -> ReservationFixture.answer(() -> reservations.cancel(id));
                case CONFIRM -> ReservationFixture.answer(() -> reservations.confirm(id));
                case SWEEP -> {
                    fixture.expire(id);
                    yield "" + reservations.sweep();
                }
                case PURGE -> {
                    fixture.purge(id);
                    yield "";
                }
            };
        }

        private String expected(Call call) {
            return switch (call) {
                case TRY -> tried();
                case CANCEL -> cancelled();
                case CONFIRM -> confirmed();
                case SWEEP -> swept();
                case PURGE -> {
                    known = Known.NOTHING;
                    yield "";
                }
            };
        }

        private String tried() {
            if (known == Known.CANCELLED) {
                return "SAGA-GRD-001";
            }
            if (known == Known.NOTHING) {
                known = Known.TRIED;
                held = true;
            }
            return "YES";
        }

        private String cancelled() {
            Known before = known;
            if (before == Known.CONFIRMED) {
                return "SAGA-GRD-012";
            }
            known = Known.CANCELLED;
            if (before == Known.TRIED) {
                held = false;
                return "DONE";
            }
            return before == Known.NOTHING ? "EMPTY" : "DUPLICATE";
        }

        private String confirmed() {
            Known before = known;
            if (before == Known.CANCELLED) {
                return "SAGA-GRD-010";
            }
            if (before == Known.NOTHING) {
                known = Known.CANCELLED;
                return "SAGA-GRD-011";
            }
            known = Known.CONFIRMED;
            if (before == Known.CONFIRMED) {
                return "DUPLICATE";
            }
            held = false;
            taken += QUANTITY;
            return "DONE";
        }

        /** Whatever is held is given back, also what the guard has forgotten. */
        private String swept() {
            if (!held) {
                return "0";
            }
            held = false;
            known = Known.CANCELLED;
            return "1";
        }
    }
}
