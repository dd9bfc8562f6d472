package io.backstep.saga;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes the page of all codes from the text beside this class. */
final class ErrorPage {
    private static final String TEXT = "errors.txt";
    private static final Pattern GROUP = Pattern.compile("\\[([A-Z]+)] (.+)");
    private static final Pattern ENTRY = Pattern.compile("(SAGA-([A-Z]+)-\\d{3}) \\| (.+) \\| (.+)");

    private record Entry(String code, String meaning, String whatToDo) {}

    private record Group(String introduction, List<Entry> entries) {}

    private final Map<String, Group> groups = new LinkedHashMap<>();

    private ErrorPage() {}

    static ErrorPage read() {
        ErrorPage page = new ErrorPage();
        text().lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(page::add);
        return page;
    }

    private static String text() {
        try (InputStream text = ErrorPage.class.getResourceAsStream(TEXT)) {
            return new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(String line) {
        Matcher group = GROUP.matcher(line);
        Matcher entry = ENTRY.matcher(line);
        if (group.matches()) {
            groups.put(group.group(1), new Group(group.group(2), new ArrayList<>()));
        } else if (entry.matches() && groups.containsKey(entry.group(2))) {
            groups.get(entry.group(2)).entries().add(new Entry(entry.group(1), entry.group(3), entry.group(4)));
        } else {
            throw new IllegalStateException(TEXT + " has a line of neither form, or without its group: " + line);
        }
    }

    /** As they stand in the text. */
    List<String> codes() {
        return groups.values().stream()
                .flatMap(group -> group.entries().stream().map(Entry::code))
                .toList();
    }

    String markdown() {
        StringBuilder page = new StringBuilder("""
                # Error codes

                Every message of this library begins with one of these codes, in an exception, in a log line or in the history of a
                saga. The codes are stable; the texts may change. A link to one is `errors.md#` and the code in small letters.

                This page is made from the code; `ErrorPageTest` says how.
                """);
        groups.forEach((name, group) -> {
            page.append("\n## ")
                    .append(name)
                    .append("\n\n")
                    .append(group.introduction())
                    .append('\n');
            group.entries().forEach(entry -> append(page, entry));
        });
        return page.toString();
    }

    private static void append(StringBuilder page, Entry entry) {
        page.append("\n### ").append(entry.code()).append("\n\n").append(entry.meaning());
        page.append("\n\nWhat to do: ").append(entry.whatToDo()).append('\n');
    }
}
