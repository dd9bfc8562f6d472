package io.backstep.saga.chaos;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a run is told.
 *
 * @param duration how long faults are made
 * @param nodes how many nodes, at least 2
 * @param seed of the draws of faults and nodes; what the system makes of them differs each time
 * @param starts how many sagas each node starts a second
 * @param megabytes of the disk of the database, in memory; 0: on the disk for temporary files, which is never full
 * @param pace how much faster than usual faults come
 * @param folder where the processes write
 * @param out a file for the report, too, or null
 */
public record ChaosOptions(
        Duration duration,
        int nodes,
        long seed,
        double starts,
        int megabytes,
        double pace,
        Path folder,
        @Nullable Path out) {
    static ChaosOptions of(String[] args, Path folder) {
        ChaosOptions options = new ChaosOptions(
                Duration.ofSeconds(60), 3, System.nanoTime() & 0xFFFFFF, 15, defaultDisk(), 1, folder, null);
        for (int i = 0; i < args.length; i += 2) {
            if (i + 1 == args.length) {
                throw new IllegalArgumentException(args[i] + " needs a value");
            }
            options = options.with(args[i], args[i + 1]);
        }
        return options;
    }

    private ChaosOptions with(String name, String value) {
        return switch (name) {
            case "--seconds" ->
                new ChaosOptions(
                        Duration.ofSeconds(Long.parseLong(value)), nodes, seed, starts, megabytes, pace, folder, out);
            case "--nodes" ->
                new ChaosOptions(duration, Integer.parseInt(value), seed, starts, megabytes, pace, folder, out);
            case "--seed" ->
                new ChaosOptions(duration, nodes, Long.parseLong(value), starts, megabytes, pace, folder, out);
            case "--starts" ->
                new ChaosOptions(duration, nodes, seed, Double.parseDouble(value), megabytes, pace, folder, out);
            case "--megabytes" ->
                new ChaosOptions(duration, nodes, seed, starts, Integer.parseInt(value), pace, folder, out);
            case "--pace" ->
                new ChaosOptions(duration, nodes, seed, starts, megabytes, Double.parseDouble(value), folder, out);
            case "--out" -> new ChaosOptions(duration, nodes, seed, starts, megabytes, pace, folder, Path.of(value));
            case "--folder" -> new ChaosOptions(duration, nodes, seed, starts, megabytes, pace, Path.of(value), out);
            default ->
                throw new IllegalArgumentException(name
                        + " is none of --seconds, --nodes, --seed, --starts, --megabytes, --pace, --folder, --out");
        };
    }

    /** Only root may mount one. */
    static int defaultDisk() {
        return "root".equals(System.getProperty("user.name")) ? 2000 : 0;
    }
}
