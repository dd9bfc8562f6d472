package io.backstep.saga.engine;

import io.backstep.saga.SagaConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Collects the settings that are out of their range, by the names that they have as properties, to tell them all at once. */
final class Ranges {
    private final List<String> faults = new ArrayList<>();

    void check(String name, int value, int least, int most) {
        String allowed = most == Integer.MAX_VALUE ? "at least " + least : least + " to " + most;
        check(name, Integer.toString(value), value >= least && value <= most, allowed);
    }

    void check(String name, Duration value, Duration least, Duration most) {
        check(name, value.toString(), value.compareTo(least) >= 0 && value.compareTo(most) <= 0, least + " to " + most);
    }

    void check(String name, String shown, boolean fine, String allowed) {
        if (!fine) {
            faults.add("saga." + name + " is " + shown + ", allowed is " + allowed);
        }
    }

    void throwIfAny() {
        if (!faults.isEmpty()) {
            throw new SagaConfigurationException("SAGA-CFG-005", String.join("; ", faults));
        }
    }
}
