package io.backstep.saga.definition;

import io.backstep.saga.Shown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes and compares fingerprints: a line for each step, its name first. */
final class Fingerprint {
    private static final int LONGEST_SHOWN = 200;

    private Fingerprint() {}

    static String of(SagaDefinition<?> definition) {
        StringBuilder lines = new StringBuilder();
        for (StepDefinition step : definition.steps()) {
            List<String> before = definition.directlyBefore(step);
            lines.append(step.name())
                    .append(' ')
                    .append(nature(step))
                    .append(step.transactional() ? " transactional" : "")
                    .append(undone(step))
                    .append(step.condition() == null ? "" : " conditional")
                    .append(before.isEmpty() ? "" : " after " + String.join(",", before))
                    .append('\n');
        }
        return lines.toString();
    }

    /** Said of a compensation alone that is not run as its action is. */
    private static String undone(StepDefinition step) {
        if (step.compensation() == null || step.compensationTransactional() == step.transactional()) {
            return "";
        }
        return step.compensationTransactional() ? " undone transactionally" : " undone remotely";
    }

    /** What a step is, wherever it stands and whatever it is called. */
    static String nature(StepDefinition step) {
        String waiting =
                step.waiting() == null ? "" : " awaits " + step.waiting().what().name();
        String child = step.child() == null ? "" : " starts " + step.child().type();
        String undone = step.undoneByChild() ? " undone by its child" : "";
        return step.kind().name()
                + (step.resultType() == null ? "" : " result")
                + (step.confirming() == null ? "" : " confirmed")
                + waiting
                + child
                + undone
                + (step.settlement() == null
                        ? ""
                        : " settled by " + step.settlement().signal());
    }

    static List<String> differences(String was, String is) {
        Map<String, String> old = lines(was);
        Map<String, String> now = lines(is);
        List<String> found = new ArrayList<>();
        old.forEach((name, line) -> {
            if (!now.containsKey(name)) {
                found.add(shown(name) + " was removed; it was " + shown(line));
            }
        });
        now.forEach((name, line) -> {
            if (!old.containsKey(name)) {
                found.add(shown(name) + " was added; it is " + shown(line));
            } else if (!line.equals(old.get(name))) {
                found.add(shown(name) + " was changed from " + shown(old.get(name)) + " to " + shown(line));
            }
        });
        addOrder(found, kept(old, now), kept(now, old));
        if (found.isEmpty() && !was.equals(is)) {
            found.add("the stored fingerprint is not one that a definition writes: " + shown(was));
        }
        return found;
    }

    private static void addOrder(List<String> found, List<String> was, List<String> is) {
        if (!was.equals(is)) {
            found.add("the order was changed from " + shown(String.join(", ", was)) + " to "
                    + shown(String.join(", ", is)));
        }
    }

    private static List<String> kept(Map<String, String> from, Map<String, String> in) {
        return from.keySet().stream().filter(in::containsKey).toList();
    }

    private static Map<String, String> lines(String fingerprint) {
        Map<String, String> lines = new LinkedHashMap<>();
        fingerprint.lines().forEach(line -> {
            int end = line.indexOf(' ');
            lines.put(end < 0 ? line : line.substring(0, end), line.substring(end + 1));
        });
        return lines;
    }

    private static String shown(String text) {
        return Shown.line(text, LONGEST_SHOWN);
    }
}
