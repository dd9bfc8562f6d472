package io.backstep.saga.chaos;

import java.io.IOException;

/** Notes when this whole process stood still, for whatever reason: then its calls may come late. */
public final class Stalls {
    private static final long NAP_MILLIS = 20;
    private static final long STALL_MICROS = 60_000;

    private Stalls() {}

    /**
     * Watches this process from now on.
     *
     * @param options of the node in it
     * @throws IOException when the notes cannot be written
     */
    public static void watch(NodeOptions options) throws IOException {
        Notes notes = Notes.at(options.file("pauses"));
        RealClock clock = options.clock();
        Thread thread = new Thread(() -> watch(options.node(), notes, clock), "stalls");
        thread.setDaemon(true);
        thread.start();
    }

    private static void watch(String node, Notes notes, RealClock clock) {
        long before = clock.nowMicros();
        while (true) {
            try {
                Thread.sleep(NAP_MILLIS);
                long now = clock.nowMicros();
                if (now - before > STALL_MICROS) {
                    notes.add(node + " " + before + " " + now);
                }
                before = now;
            } catch (IOException | InterruptedException e) {
                return;
            }
        }
    }
}
