package io.backstep.saga.spring.admin;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The saga of these tests: its input says what each participant does, until they are mended. */
record Parcel(Mode reserve, Mode pay, Mode book, Mode confirm, Mode ship, Mode undo) {
    static final SagaType<Parcel> TYPE = SagaType.named("parcel", Parcel.class);

    /** The same, but a second attempt comes in hours. */
    static final SagaType<Parcel> PATIENT = SagaType.named("patient-parcel", Parcel.class);

    static final Step<String> RESERVE = Step.named("reserve", String.class);

    /** What no participant may hear of, and no viewer. */
    static final String SECRET = "4111-1111-1111-1111";

    private static final Map<String, CountDownLatch> DOORS = new ConcurrentHashMap<>();
    private static final Map<String, CountDownLatch> ENTERED = new ConcurrentHashMap<>();
    private static final Map<String, AtomicInteger> CALLS = new ConcurrentHashMap<>();
    private static final Map<String, AtomicInteger> HANGING = new ConcurrentHashMap<>();
    private static final Map<String, AtomicInteger> UNDONE = new ConcurrentHashMap<>();
    private static final List<String> PARTICIPANTS = List.of("reserve", "book", "pay", "confirm", "ship", "undo");

    enum Mode {
        OK,
        REJECT,
        FAIL,
        HANG,
        HUGE
    }

    static Parcel ok() {
        return new Parcel(Mode.OK, Mode.OK, Mode.OK, Mode.OK, Mode.OK, Mode.OK);
    }

    Parcel reserving(Mode mode) {
        return new Parcel(mode, pay, book, confirm, ship, undo);
    }

    Parcel paying(Mode mode) {
        return new Parcel(reserve, mode, book, confirm, ship, undo);
    }

    Parcel booking(Mode mode) {
        return new Parcel(reserve, pay, mode, confirm, ship, undo);
    }

    Parcel confirming(Mode mode) {
        return new Parcel(reserve, pay, book, mode, ship, undo);
    }

    Parcel shipping(Mode mode) {
        return new Parcel(reserve, pay, book, confirm, mode, undo);
    }

    Parcel undoing(Mode mode) {
        return new Parcel(reserve, pay, book, confirm, ship, mode);
    }

    static SagaDefinition<Parcel> definition(SagaType<Parcel> type, Duration pause) {
        Retry twice = Retry.fixed(pause).maxAttempts(2).jitter(0);
        return Saga.define(type)
                .step(RESERVE)
                .action(c -> act(c.sagaId() + "reserve", c.input().reserve()))
                .compensate((c, result) -> {
                    act(c.sagaId() + "undo", c.input().undo());
                    count(UNDONE, c.sagaId() + "").incrementAndGet();
                })
                .retry(twice)
                .compensationRetry(twice)
                .step("book")
                .transactional()
                .action(c -> {
                    act(c.sagaId() + "book", c.input().book());
                })
                .noCompensation("nothing is booked in tests")
                .step("pay")
                .action(c -> {
                    act(c.sagaId() + "pay", c.input().pay());
                })
                .noCompensation("nothing is charged in tests")
                .retry(twice)
                .timeout(Duration.ofMinutes(5))
                .pivot("confirm")
                .action(c -> {
                    act(c.sagaId() + "confirm", c.input().confirm());
                })
                .retry(twice)
                .retriable("ship")
                .action(c -> {
                    act(c.sagaId() + "ship", c.input().ship());
                })
                .retry(twice)
                .build();
    }

    /** Whoever hangs for this saga goes on, and from now on everything succeeds. */
    static void mend(UUID sagaId) {
        PARTICIPANTS.forEach(what -> mend(sagaId, what));
    }

    static void mend(UUID sagaId, String what) {
        door(sagaId + what).countDown();
    }

    /** Waits until a participant hangs. */
    static void awaitHanging(UUID sagaId, String what) {
        pass(entered(sagaId + what));
    }

    static boolean anyHangs(UUID sagaId) {
        return PARTICIPANTS.stream()
                .anyMatch(what -> count(HANGING, sagaId + what).get() > 0);
    }

    static int calls(UUID sagaId, String what) {
        return count(CALLS, sagaId + what).get();
    }

    static int timesUndone(UUID sagaId) {
        return count(UNDONE, sagaId + "").get();
    }

    private static String act(String call, Mode mode) {
        count(CALLS, call).incrementAndGet();
        if (door(call).getCount() == 0) {
            return SECRET;
        }
        return switch (mode) {
            case OK -> SECRET;
            case REJECT -> throw new StepRejectedException("no", "<img src=x onerror=alert(1)>");
            case FAIL -> throw new IllegalStateException("</script>\r\n<script>alert(1)</script>");
            case HUGE -> "x".repeat(2 * 1024 * 1024);
            case HANG -> {
                count(HANGING, call).incrementAndGet();
                entered(call).countDown();
                pass(door(call));
                count(HANGING, call).decrementAndGet();
                yield SECRET;
            }
        };
    }

    private static void pass(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody came");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CountDownLatch door(String call) {
        return DOORS.computeIfAbsent(call, id -> new CountDownLatch(1));
    }

    private static CountDownLatch entered(String call) {
        return ENTERED.computeIfAbsent(call, id -> new CountDownLatch(1));
    }

    private static AtomicInteger count(Map<String, AtomicInteger> counts, String what) {
        return counts.computeIfAbsent(what, id -> new AtomicInteger());
    }
}
