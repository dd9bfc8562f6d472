package io.backstep.saga.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a node is told, as {@code --name=value}. A {@code with} gives a changed copy.
 *
 * @param values all values by name
 */
public record NodeOptions(Map<String, String> values) {
    private static final Map<String, String> DEFAULTS = new LinkedHashMap<>();

    static {
        DEFAULTS.put("url", "");
        DEFAULTS.put("far-url", "");
        DEFAULTS.put("user", "postgres");
        DEFAULTS.put("password", "postgres");
        DEFAULTS.put("node", "node");
        DEFAULTS.put("folder", ".");
        DEFAULTS.put("file", "node");
        DEFAULTS.put("shapes", String.join(",", Shapes.ALL));
        DEFAULTS.put("release", Release.NONE.name());
        DEFAULTS.put("deployed-wait-millis", "5000");
        DEFAULTS.put("lease-millis", "300");
        DEFAULTS.put("poll-millis", "50");
        DEFAULTS.put("workers", "6");
        DEFAULTS.put("pool", "8");
        DEFAULTS.put("starts-per-second", "0");
        DEFAULTS.put("operations-per-second", "0");
        DEFAULTS.put("forgotten-per-second", "0");
        DEFAULTS.put("purge-after-seconds", "0");
        DEFAULTS.put("seed", "0");
        DEFAULTS.put("clock-offset", "");
    }

    /** Copies the values. */
    public NodeOptions {
        values = Map.copyOf(values);
    }

    /**
     * The options of a node that does nothing by itself.
     *
     * @return the defaults; {@code url} and {@code far-url} are still to be given
     */
    public static NodeOptions defaults() {
        return new NodeOptions(DEFAULTS);
    }

    /**
     * Reads them.
     *
     * @param args {@code --name=value} each
     * @return the options
     */
    public static NodeOptions of(String... args) {
        NodeOptions options = defaults();
        for (String arg : args) {
            String[] parts = arg.split("=", 2);
            if (parts.length != 2 || !parts[0].startsWith("--")) {
                throw new IllegalArgumentException(arg + " is not --name=value");
            }
            options = options.with(parts[0].substring(2), parts[1]);
        }
        return options;
    }

    /**
     * Changes one.
     *
     * @param name its name
     * @param value its value
     * @return a changed copy
     */
    public NodeOptions with(String name, Object value) {
        if (!DEFAULTS.containsKey(name)) {
            throw new IllegalArgumentException(name + " is none of " + DEFAULTS.keySet());
        }
        Map<String, String> changed = new LinkedHashMap<>(values);
        changed.put(name, String.valueOf(value));
        return new NodeOptions(changed);
    }

    /**
     * As arguments.
     *
     * @return {@code --name=value} each
     */
    public List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        values.forEach((name, value) -> arguments.add("--" + name + "=" + value));
        return arguments;
    }

    String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is none of " + DEFAULTS.keySet());
        }
        return value;
    }

    int number(String name) {
        return Integer.parseInt(text(name));
    }

    double rate(String name) {
        return Double.parseDouble(text(name));
    }

    Duration millis(String name) {
        return Duration.ofMillis(number(name));
    }

    String node() {
        return text("node");
    }

    List<String> shapes() {
        return Arrays.asList(text("shapes").split(","));
    }

    Release release() {
        return Release.valueOf(text("release"));
    }

    /** A file of this incarnation, of one kind. */
    Path file(String kind) {
        return Path.of(text("folder"), text("file") + "." + kind);
    }

    RealClock clock() {
        String offset = text("clock-offset");
        return offset.isEmpty() ? RealClock.measured() : new RealClock(Long.parseLong(offset));
    }
}
