package io.backstep.saga;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each handed case is named by a test, or is on the list of those whose mechanism does not exist yet. */
class HandedCasesTest {
    private static final Path LIST = SourceFilesTest.PROJECT.resolve("docs/decisions/faults.md");
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("\"([DCX]\\d+)[ \"]");
    private static final Pattern NUMBER = Pattern.compile("\\b[FDCX]\\d+\\b");
    private static final Pattern LISTED = Pattern.compile("\\b([FDCX])(\\d+)(?:-[FDCX](\\d+))?\\b");

    @Test
    void every_handed_case_is_named_by_a_test_or_on_the_list() throws IOException {
        Set<String> unknown = new TreeSet<>(handed());
        unknown.removeAll(named());
        unknown.removeAll(listed());

        assertThat(unknown)
                .as("cases that no test names in a comment, and that " + LIST.getFileName() + " lacks")
                .isEmpty();
    }

    private static List<String> handed() throws IOException {
        try (InputStream text = HandedCasesTest.class.getResourceAsStream("handed-cases.txt")) {
            String all = new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8);
            return all.lines()
                    .filter(line -> !line.startsWith("#"))
                    .flatMap(line -> Stream.of(line.split(" ")))
                    .filter(number -> !number.isBlank())
                    .toList();
        }
    }

    private static Set<String> named() {
        Path shared = Path.of("saga-test", "src", "main");
        return Stream.concat(
                        SourceFilesTest.sources("src/test/java"),
                        SourceFilesTest.sources("src/main/java")
                                .filter(file ->
                                        SourceFilesTest.PROJECT.relativize(file).startsWith(shared)))
                .map(HandedCasesTest::read)
                .flatMap(HandedCasesTest::numbers)
                .collect(Collectors.toSet());
    }

    private static Stream<String> numbers(String source) {
        Stream<String> comments = COMMENT.matcher(source)
                .results()
                .flatMap(comment -> NUMBER.matcher(comment.group()).results())
                .map(MatchResult::group);
        return Stream.concat(comments, ROW.matcher(source).results().map(row -> row.group(1)));
    }

    /** The first column of the table; "F138-F163" is all of them. */
    private static Set<String> listed() {
        return read(LIST)
                .lines()
                .filter(line -> line.startsWith("| ") && line.split("\\|").length > 2)
                .flatMap(line -> cases(line.split("\\|")[1]))
                .collect(Collectors.toSet());
    }

    private static Stream<String> cases(String column) {
        return LISTED.matcher(column).results().flatMap(HandedCasesTest::range);
    }

    private static Stream<String> range(MatchResult found) {
        int first = Integer.parseInt(found.group(2));
        int last = found.group(3) == null ? first : Integer.parseInt(found.group(3));
        String form = found.group(1).equals("F") ? "F%03d" : found.group(1) + "%d";
        return IntStream.rangeClosed(first, last).mapToObj(number -> String.format(form, number));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
