package io.backstep.saga.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of a run, {@code --name=value} or {@code --name value}; what is not given has the scenario's default. */
final class Settings {
    private final Map<String, String> values;

    private Settings(Map<String, String> values) {
        this.values = values;
    }

    static Settings of(Map<String, String> defaults, List<String> options) {
        Map<String, String> values = new LinkedHashMap<>(defaults);
        for (int i = 0; i < options.size(); i++) {
            String[] parts = options.get(i).split("=", 2);
            String name = parts[0].replaceFirst("^--", "");
            if (!defaults.containsKey(name) || (parts.length == 1 && i + 1 == options.size())) {
                throw new IllegalArgumentException(
                        options.get(i) + " is none of --" + String.join("=, --", defaults.keySet()) + "=");
            }
            values.put(name, parts.length == 2 ? parts[1] : options.get(++i));
        }
        return new Settings(values);
    }

    String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("no default for " + name);
        }
        return value;
    }

    int number(String name) {
        return Integer.parseInt(text(name));
    }

    Duration seconds(String name) {
        return Duration.ofMillis((long) (Double.parseDouble(text(name)) * 1000));
    }

    List<String> list(String name) {
        return Arrays.stream(text(name).split(","))
                .filter(part -> !part.isEmpty())
                .toList();
    }

    @Override
    public String toString() {
        Map<String, String> shown = new LinkedHashMap<>(values);
        shown.remove("password");
        return shown.toString();
    }
}
