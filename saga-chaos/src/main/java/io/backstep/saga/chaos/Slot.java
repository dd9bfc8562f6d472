package io.backstep.saga.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The place of one node: there is always a process in it, the next one when the last has died. */
final class Slot {
    private static final Path FAKETIME = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

    private final NodeOptions options;
    private final List<String> flags;
    private final boolean wrongClock;
    private final Random random;
    private NodeProcess process;
    private Release release;
    private int incarnation;
    private boolean quiet;
    private volatile boolean spared;

    Slot(NodeOptions options, List<String> flags, boolean wrongClock, Random random) throws IOException {
        this.options = options;
        this.release = options.release();
        this.flags = flags;
        this.wrongClock = wrongClock;
        this.random = random;
        this.process = next();
    }

    static boolean hasFaketime() {
        return Files.exists(FAKETIME);
    }

    synchronized NodeProcess process() {
        return process;
    }

    boolean ready() {
        NodeProcess now = process();
        return now.ready() && now.alive();
    }

    /** Whether kills are to choose others: else hardly a process that is stopped would live to go on. */
    void spare(boolean yes) {
        spared = yes;
    }

    boolean spared() {
        return spared;
    }

    private NodeProcess next() throws IOException {
        String node = options.node() + release.suffix();
        NodeOptions mine = options.with("release", release)
                .with("node", node)
                .with("file", node + "-" + ++incarnation)
                .with("seed", random.nextInt());
        if (quiet) {
            mine = mine.with("starts-per-second", 0)
                    .with("operations-per-second", 0)
                    .with("purge-after-seconds", 0);
        }
        return NodeProcess.start(Node.class, mine, flags, environment());
    }

    /**
     * Up to an hour early or late, another time at each start. The monotonic clock stays right, as on every machine; without the
     * last setting all timed waits of a JVM return at once.
     */
    private Map<String, String> environment() {
        if (!wrongClock) {
            return Map.of();
        }
        int seconds = random.nextInt(7200) - 3600;
        return Map.of(
                "LD_PRELOAD",
                FAKETIME.toString(),
                "FAKETIME",
                (seconds < 0 ? "" : "+") + seconds,
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1",
                "FAKETIME_FORCE_MONOTONIC_FIX",
                "0");
    }

    /** What the next process, and each after it, is to know. */
    synchronized void release(Release next) {
        release = next;
    }

    /** SIGKILL; the next one begins at once. */
    synchronized void killAndStart() throws IOException {
        process.kill();
        process = next();
    }

    /** SIGTERM, and SIGKILL for one that does not stop; tells whether it has stopped by itself. */
    boolean stopAndStart() throws IOException {
        NodeProcess stopping = process();
        stopping.terminate();
        boolean stopped = stopping.awaitEnd(20);
        synchronized (this) {
            if (process == stopping) {
                process.kill();
                process = next();
            }
        }
        return stopped;
    }

    /** From now on it starts nothing new; what lives goes on, what is dead is replaced. */
    synchronized void calm() throws IOException {
        quiet = true;
        if (process.alive() && process.ready()) {
            process.signal("CONT");
            process.tell("quiet");
        } else {
            process.kill();
            process = next();
        }
    }

    synchronized void replaceDead() throws IOException {
        if (!process.alive()) {
            process = next();
        }
    }

    synchronized void kill() {
        process.kill();
    }
}
