package io.backstep.saga;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every code that the sources of any module produce is on the page, and no other. */
class ErrorPageTest {
    private static final String REFRESH =
            "mvn -pl saga-core -am test -Dtest=ErrorPageTest -Dsurefire.failIfNoSpecifiedTests=false -Dsaga.docs.refresh=true";
    private static final String HOW =
            "codes in src/main must be those of errors.txt, beside this test's class; then: " + REFRESH;
    private static final Path PAGE = SourceFilesTest.PROJECT.resolve("docs/errors.md");

    /** In a literal, where it begins: what is only mentioned, as in Javadoc, is not produced. */
    private static final Pattern PRODUCED = Pattern.compile("\"(SAGA-[A-Z]+-\\d{3})");

    private static final Pattern MENTIONED = Pattern.compile("\\bSAGA-[A-Z]+-\\d{3}\\b");

    private final ErrorPage page = ErrorPage.read();

    @Test
    void every_code_in_the_sources_is_explained_and_no_other() {
        assertThat(page.codes()).as(HOW).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(produced());
    }

    @Test
    void what_javadoc_and_documents_mention_exists() throws IOException {
        Set<String> mentioned = new TreeSet<>();
        Stream.concat(texts(), documents())
                .forEach(text -> MENTIONED
                        .matcher(text)
                        .results()
                        .map(MatchResult::group)
                        .forEach(mentioned::add));

        assertThat(page.codes()).containsAll(mentioned);
    }

    @Test
    void every_group_is_sorted() {
        Stream<String> groups =
                page.codes().stream().map(code -> code.replaceAll("\\d", "")).distinct();

        assertThat(groups)
                .allSatisfy(group -> assertThat(page.codes().stream().filter(code -> code.startsWith(group)))
                        .isSorted());
    }

    @Test
    void the_page_is_up_to_date() throws IOException {
        if (Boolean.getBoolean("saga.docs.refresh")) {
            Files.writeString(PAGE, page.markdown());
        }

        assertThat(PAGE)
                .as("docs/errors.md is stale; to refresh it: " + REFRESH)
                .hasContent(page.markdown());
    }

    private static Set<String> produced() {
        Set<String> codes = new TreeSet<>();
        texts().forEach(text ->
                PRODUCED.matcher(text).results().map(match -> match.group(1)).forEach(codes::add));
        return codes;
    }

    private static Stream<String> texts() {
        return SourceFilesTest.sources("src/main/java").map(ErrorPageTest::text);
    }

    private static Stream<String> documents() throws IOException {
        try (Stream<Path> all = Files.walk(SourceFilesTest.PROJECT.resolve("docs"))) {
            return all.filter(file -> file.toString().endsWith(".md")).map(ErrorPageTest::text).toList().stream();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
