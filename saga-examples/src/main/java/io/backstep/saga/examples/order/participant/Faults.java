package io.backstep.saga.examples.order.participant;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/** The switches by which the participants are told to fail. Kept in memory: a new process starts without faults. */
@Component
class Faults {
    /** Which kind of call has the fault; the name is part of the switch's path. */
    enum Line {
        PAYMENTS,
        REFUNDS,
        MAIL
    }

    private static final long LONGEST_HANG = TimeUnit.MINUTES.toNanos(10);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private final Map<Line, Fault> faults = new EnumMap<>(Line.class);
    private final Map<Line, Long> moves = new EnumMap<>(Line.class);
    private boolean closed;

    Fault of(Line line) {
        lock.lock();
        try {
            return faults.getOrDefault(line, Fault.NONE);
        } finally {
            lock.unlock();
        }
    }

    void set(Line line, Fault fault) {
        lock.lock();
        try {
            faults.put(line, fault);
            moves.merge(line, 1L, Long::sum);
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Does what FAIL and HANG mean, before the effect. A call that hangs waits for its own switch only. */
    void before(Line line, Fault fault) {
        if (fault == Fault.FAIL) {
            throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "told to fail");
        }
        if (fault == Fault.HANG && !movedInTime(line)) {
            throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "told to hang");
        }
    }

    private boolean movedInTime(Line line) {
        lock.lock();
        try {
            return awaitMove(line, moves(line));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitMove(Line line, long seen) throws InterruptedException {
        long left = LONGEST_HANG;
        while (seen == moves(line) && !closed && left > 0) {
            left = moved.awaitNanos(left);
        }
        return seen != moves(line) && !closed;
    }

    private long moves(Line line) {
        return moves.getOrDefault(line, 0L);
    }

    /** Does what a lost reply means, after the effect. */
    void after(Fault fault, boolean first) {
        if (fault == Fault.LOSE_EVERY_REPLY || (fault == Fault.LOSE_REPLY && first)) {
            throw new ResponseStatusException(HttpStatus.BAD_GATEWAY, "told to lose the reply");
        }
    }

    /** Lets hanging calls go, which would else hold up the shutdown. */
    @EventListener(ContextClosedEvent.class)
    void close() {
        lock.lock();
        try {
            closed = true;
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
