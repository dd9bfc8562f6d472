package io.backstep.saga.chaos.failpoints;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which part of all cases is played.
 *
 * @param part 0 to 11, or empty for all
 * @param only the name of a failpoint or of a call, or empty for all
 * @param scenarios these scenarios
 * @param faults these faults
 * @param everyHit every passing of a failpoint, instead of the first and the last
 * @param slots how many at once
 */
record EnumerationOptions(
        Optional<Integer> part,
        Optional<String> only,
        List<Scenario> scenarios,
        List<Fault> faults,
        boolean everyHit,
        int slots) {
    private static final String USAGE = "failpoints [--part N|today] [--only NAME] [--scenario NAME[,NAME]]"
            + " [--fault NAME[,NAME]] [--every-hit yes] [--slots N]";

    static EnumerationOptions of(String... args) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (!args[i].matches("--(part|only|scenario|fault|every-hit|slots)") || i + 1 == args.length) {
                throw new IllegalArgumentException(args[i] + " is not understood: " + USAGE);
            }
            given.put(args[i].substring(2), args[i + 1]);
        }
        return new EnumerationOptions(
                Optional.ofNullable(given.get("part")).map(EnumerationOptions::part),
                Optional.ofNullable(given.get("only")).map(EnumerationOptions::known),
                names(given.get("scenario"), Scenario.values(), Scenario.class),
                names(given.get("fault"), Fault.values(), Fault.class),
                given.containsKey("every-hit"),
                Integer.parseInt(given.getOrDefault("slots", "3")));
    }

    private static int part(String text) {
        long number = text.equals("today") ? LocalDate.now(ZoneOffset.UTC).toEpochDay() : Long.parseLong(text);
        return (int) Math.floorMod(number, (long) Case.PARTS);
    }

    private static String known(String name) {
        if (Points.ALL.stream().noneMatch(point -> matches(point, name))) {
            throw new IllegalArgumentException("no failpoint has the name " + name + "; there are " + Points.ALL);
        }
        return name;
    }

    private static boolean matches(String point, String name) {
        return point.equals(name) || point.startsWith(name + ".");
    }

    private static <E extends Enum<E>> List<E> names(@Nullable String text, E[] all, Class<E> type) {
        return text == null
                ? List.of(all)
                : Arrays.stream(text.split(","))
                        .map(name -> Enum.valueOf(type, name.toUpperCase(Locale.ROOT)))
                        .toList();
    }

    /** Whether every failpoint must be met. */
    boolean complete() {
        return only.isEmpty()
                && part.isEmpty()
                && scenarios.size() == Scenario.values().length
                && faults.size() == Fault.values().length;
    }

    /** Whether every failpoint must be passed by some scenario. */
    boolean allScenarios() {
        return scenarios.size() == Scenario.values().length;
    }

    boolean wants(Case one) {
        Plan plan = one.plan().orElseThrow();
        return part.map(number -> one.part() == number).orElse(true)
                && only.map(name -> matches(plan.point(), name)).orElse(true)
                && faults.contains(plan.fault());
    }
}
