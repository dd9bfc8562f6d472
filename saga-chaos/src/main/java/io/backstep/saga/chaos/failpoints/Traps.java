package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.testsupport.CommitProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/** The failpoints of one node in one case: they count who passes, and those that are armed do harm, once. */
final class Traps implements io.backstep.saga.chaos.Failpoints {
    /** Thrown at a failpoint in user code. */
    static final class InjectedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InjectedException(String point) {
            super("injected at " + point);
        }
    }

    /** How a failpoint makes its call fail. */
    interface Failure {
        RuntimeException at(String point);
    }

    /** A plan that waits. */
    record Armed(Plan plan, Runnable told, AtomicInteger passed, AtomicBoolean done) {
        private boolean strikes(String point) {
            return plan.point().equals(point)
                    && passed.incrementAndGet() == plan.hit()
                    && done.compareAndSet(false, true);
        }
    }

    private final CommitProxy proxy;
    private final Duration pause;
    private final List<Armed> armed = new CopyOnWriteArrayList<>();
    private final Map<String, AtomicInteger> reached = new ConcurrentHashMap<>();

    /**
     * Made for a node.
     *
     * @param proxy between the node and its database
     * @param pause how long PAUSE stops the process
     */
    Traps(CommitProxy proxy, Duration pause) {
        this.proxy = proxy;
        this.pause = pause;
    }

    /** From now on; what passed before is not counted for the plan. Tells just before the harm is done. */
    void arm(Plan plan, Runnable told) {
        armed.add(new Armed(plan, told, new AtomicInteger(), new AtomicBoolean()));
    }

    /** How often each has been passed, since the beginning. */
    Map<String, Integer> reached() {
        Map<String, Integer> counts = new TreeMap<>();
        reached.forEach((point, count) -> counts.put(point, count.get()));
        return counts;
    }

    @Override
    public void hit(String point) {
        pass(point, InjectedException::new);
    }

    void pass(String point, Failure failure) {
        for (Armed trap : passing(point)) {
            strike(trap, failure);
        }
    }

    /** Just before a COMMIT is sent: when its answer is to be lost, the proxy sees to that. Gives what is to happen after it. */
    List<Armed> beforeCommit(String point, IntSupplier backend) {
        List<Armed> later = new ArrayList<>();
        for (Armed trap : passing(point)) {
            if (trap.plan().fault() == Fault.CUT) {
                trap.told().run();
                proxy.next(backend.getAsInt(), CommitProxy.Cut.AFTER_COMMIT);
            } else {
                later.add(trap);
            }
        }
        return later;
    }

    private List<Armed> passing(String point) {
        Points.check(point);
        reached.computeIfAbsent(point, name -> new AtomicInteger()).incrementAndGet();
        return armed.stream().filter(trap -> trap.strikes(point)).toList();
    }

    /** What {@link #beforeCommit} gave. */
    void strike(List<Armed> traps, Failure failure) {
        traps.forEach(trap -> strike(trap, failure));
    }

    private void strike(Armed trap, Failure failure) {
        trap.told().run();
        switch (trap.plan().fault()) {
            case HALT -> Runtime.getRuntime().halt(137);
            case THROW -> throw failure.at(trap.plan().point());
            case PAUSE -> stopTheProcess();
            case CUT -> proxy.cutAll();
        }
    }

    private void stopTheProcess() {
        long self = ProcessHandle.current().pid();
        String seconds = "%d.%03d".formatted(pause.toSeconds(), pause.toMillisPart());
        try {
            new ProcessBuilder("sh", "-c", "kill -STOP " + self + "; sleep " + seconds + "; kill -CONT " + self)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
