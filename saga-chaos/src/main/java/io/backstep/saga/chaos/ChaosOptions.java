package io.backstep.saga.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a run is told.
 *
 * @param duration how long faults are made
 * @param nodes how many nodes, at least 2
 * @param seed of the draws of faults and nodes; what the system makes of them differs each time
 * @param starts how many sagas each node starts a second
 * @param megabytes of the disk of the database, in memory; 0: on the disk for temporary files, which is never full
 * @param pace how much faster than usual faults come; 0: none but deploys
 * @param deployEvery how long after the last deploy began the next one begins, which replaces node by node by those of another
 *     release; zero: there are none, and none of the sagas of two versions
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
        Duration deployEvery,
        Path folder,
        @Nullable Path out) {
    static ChaosOptions of(String[] args, Path folder) {
        Map<String, String> told = new LinkedHashMap<>();
        told.put("--seconds", "60");
        told.put("--nodes", "3");
        told.put("--seed", String.valueOf(System.nanoTime() & 0xFFFFFF));
        told.put("--starts", "15");
        told.put("--megabytes", String.valueOf(defaultDisk()));
        told.put("--pace", "1");
        told.put("--deploy-every", "0");
        told.put("--folder", folder.toString());
        told.put("--out", "");
        for (int i = 0; i < args.length; i += 2) {
            if (i + 1 == args.length) {
                throw new IllegalArgumentException(args[i] + " needs a value");
            }
            if (told.replace(args[i], args[i + 1]) == null) {
                throw new IllegalArgumentException(args[i] + " is none of " + String.join(", ", told.keySet()));
            }
        }
        return of(told);
    }

    private static ChaosOptions of(Map<String, String> told) {
        Function<String, String> value = name -> Objects.requireNonNull(told.get(name));
        String out = value.apply("--out");
        return new ChaosOptions(
                Duration.ofSeconds(Long.parseLong(value.apply("--seconds"))),
                Integer.parseInt(value.apply("--nodes")),
                Long.parseLong(value.apply("--seed")),
                Double.parseDouble(value.apply("--starts")),
                Integer.parseInt(value.apply("--megabytes")),
                Double.parseDouble(value.apply("--pace")),
                Duration.ofSeconds(Long.parseLong(value.apply("--deploy-every"))),
                Path.of(value.apply("--folder")),
                out.isEmpty() ? null : Path.of(out));
    }

    boolean deploys() {
        return !deployEvery.isZero();
    }

    /** Only root may mount one. */
    static int defaultDisk() {
        return "root".equals(System.getProperty("user.name")) ? 2000 : 0;
    }
}
