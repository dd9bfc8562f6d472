package io.backstep.saga.chaos;

import io.backstep.saga.testsupport.CommitProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** All that is done to a cluster. */
final class Faults {
    static final String KILLED = "kill -9 of a node";
    static final String PAUSED = "SIGSTOP beyond the lease, then SIGCONT";
    static final String CRASHED = "crash and restart of the database";
    static final String CUT_BEFORE = "connection cut before COMMIT";
    static final String CUT_AFTER = "connection cut after COMMIT";
    static final String STOPPED = "SIGTERM, stopped by itself";
    static final String NOT_STOPPED = "SIGTERM, had to be killed";

    private static final long LEASE_MILLIS = 300;
    private static final long AFTERWARDS_MILLIS = 150;
    private static final double CUT_RATE = 0.06;

    private final Cluster cluster;
    private final Injected injected;
    private final Notes pauses;
    private final Random random;
    private final Object database = new Object();
    private final List<Fault> faults = new ArrayList<>();
    private final double cutRate;

    Faults(Cluster cluster, ChaosOptions options, Injected injected, Random random) throws IOException {
        this.cluster = cluster;
        this.injected = injected;
        this.random = random;
        this.pauses = Notes.at(options.folder().resolve("harness.pauses"));
        this.cutRate = CUT_RATE * Math.min(1, options.pace());
        if (options.pace() > 0) {
            addAll(1000 / options.pace());
        }
        if (options.deploys()) {
            Deploys deploys = new Deploys(cluster, options.deployEvery(), injected);
            faults.add(new Fault("deploy", deploys::pauseMillis, deploys::next, injected));
        }
    }

    private void addAll(double slower) {
        add(KILLED, 0.5 * slower, this::kill);
        add(PAUSED, 0.6 * slower, this::pause);
        add(CRASHED, 5 * slower, this::crash);
        add("pg_terminate_backend", 0.5 * slower, this::terminateBackend);
        add(
                "all connections of a node cut",
                8 * slower,
                () -> injected.add("all connections of a node cut", proxy().cutAll() > 0 ? 1 : 0));
        add("network half-open", 12 * slower, this::silence);
        add("connections refused", 12 * slower, this::refuse);
        add("network slow", 12 * slower, this::slow);
        add("rolling restart by SIGTERM", 20 * slower, this::rollingRestart);
        if (cluster.smallDisk()) {
            add("disk full", 15 * slower, this::fillDisk);
        }
    }

    private void add(String name, double meanMillis, Fault.Act act) {
        Random own = new Random(random.nextLong());
        faults.add(new Fault(name, () -> (long) (meanMillis * (0.5 + own.nextDouble())), act, injected));
    }

    void start() {
        for (CommitProxy proxy : cluster.proxies()) {
            proxy.cutByRate(cutRate, cutRate, random.nextLong());
        }
        faults.forEach(Fault::start);
    }

    /** Ends them all, and makes the world whole again. */
    void stop() throws InterruptedException, IOException {
        faults.forEach(Fault::stop);
        for (Fault fault : faults) {
            fault.awaitEnd();
        }
        cluster.bringUp();
        for (CommitProxy proxy : cluster.proxies()) {
            proxy.cutByRate(0, 0, 0);
            injected.add(CUT_BEFORE, proxy.counts().cutBefore());
            injected.add(CUT_AFTER, proxy.counts().cutAfter());
            injected.add("COMMITs seen by the proxies", proxy.counts().commits());
        }
        CommitProxy pooled = cluster.proxyOfPooler();
        if (pooled != null) {
            injected.add("COMMITs through PgBouncer", pooled.counts().commits());
        }
    }

    /** One that runs, if there is one; none that is stopped and to be spared. */
    private @Nullable Slot slot() {
        List<Slot> open =
                cluster.slots().stream().filter(slot -> !slot.spared()).toList();
        List<Slot> running = open.stream().filter(Slot::ready).toList();
        List<Slot> some = running.isEmpty() ? open : running;
        return some.isEmpty() ? null : some.get(random.nextInt(some.size()));
    }

    private CommitProxy proxy() {
        return cluster.proxies().get(random.nextInt(cluster.proxies().size()));
    }

    private void kill() throws IOException {
        Slot slot = slot();
        if (slot != null) {
            boolean ready = slot.ready();
            if (ready || random.nextInt(8) == 0) { // else hardly any would ever run
                slot.killAndStart();
                injected.add(ready ? KILLED : "kill -9 of a node that still began", 1);
            }
        }
    }

    private void pause() throws IOException, InterruptedException {
        Slot slot = slot();
        if (slot != null && slot.ready()) {
            slot.spare(random.nextInt(6) > 0);
            try {
                injected.add(livedThrough(slot) ? PAUSED : "SIGSTOP, then SIGKILL", 1);
            } finally {
                slot.spare(false);
            }
        }
    }

    /** Counts only what lives on for a while, and so has met what happened meanwhile. */
    private boolean livedThrough(Slot slot) throws IOException, InterruptedException {
        NodeProcess process = slot.process();
        RealClock clock = RealClock.measured();
        long from = clock.nowMicros();
        process.signal("STOP");
        Thread.sleep(LEASE_MILLIS + 100 + random.nextInt(400) + (random.nextInt(8) == 0 ? 1000 : 0));
        process.signal("CONT");
        pauses.add(process.node() + " " + from + " " + clock.nowMicros());
        Thread.sleep(AFTERWARDS_MILLIS);
        return process.alive();
    }

    private void crash() throws IOException, InterruptedException {
        synchronized (database) {
            cluster.server().crash();
            Thread.sleep(random.nextInt(500));
            cluster.bringUp();
            injected.add(CRASHED, 1);
        }
    }

    private void terminateBackend() {
        if (cluster.server().killBackend()) {
            injected.add("pg_terminate_backend", 1);
        }
    }

    private void silence() throws InterruptedException {
        CommitProxy proxy = proxy();
        proxy.silence(true);
        Thread.sleep(LEASE_MILLIS + random.nextInt(1000));
        proxy.silence(false);
        injected.add("network half-open", 1);
    }

    private void refuse() throws InterruptedException {
        CommitProxy proxy = proxy();
        proxy.refuse(true);
        proxy.cutAll();
        Thread.sleep(LEASE_MILLIS + random.nextInt(1000));
        proxy.refuse(false);
        injected.add("connections refused", 1);
    }

    private void slow() throws InterruptedException {
        CommitProxy proxy = proxy();
        proxy.delay(Duration.ofMillis(20 + random.nextInt(200)));
        Thread.sleep(1000);
        proxy.delay(Duration.ZERO);
        injected.add("network slow", 1);
    }

    private void rollingRestart() throws IOException {
        for (Slot slot : cluster.slots()) {
            injected.add(slot.stopAndStart() ? STOPPED : NOT_STOPPED, 1);
        }
        injected.add("rolling restart by SIGTERM", 1);
    }

    private void fillDisk() throws IOException, InterruptedException {
        synchronized (database) {
            cluster.server().fillDisk();
            Thread.sleep(300 + random.nextInt(1200));
            cluster.server().freeDisk();
            cluster.bringUp();
            injected.add("disk full", 1);
        }
    }
}
