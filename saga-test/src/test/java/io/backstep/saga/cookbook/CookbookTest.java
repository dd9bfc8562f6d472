package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Java code of each page of docs/cookbook is that of a test beside this one, but for white space and comments. Before each block the
 * page says which: {@code <!-- code: BranchesPageTest -->}. Its last line links that test.
 */
class CookbookTest {
    private static final Path PAGES =
            Path.of("").toAbsolutePath().getParent().resolve("docs").resolve("cookbook");
    private static final Path TESTS = Path.of("src/test/java/io/backstep/saga/cookbook");
    private static final Pattern BLOCK =
            Pattern.compile("(?:<!-- code: (\\w+) -->\n)?```java\n(.*?)```\n", Pattern.DOTALL);
    private static final Pattern COMMENT = Pattern.compile("//[^\n]*");

    static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(PAGES)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void the_code_of_the_page_is_that_of_its_test(Path page) {
        String text = read(page);
        Matcher block = BLOCK.matcher(text);
        int blocks = 0;
        for (; block.find(); blocks++) {
            assertThat(block.group(1))
                    .as("says where this is from: " + block.group())
                    .isNotNull();
            assertThat(code(read(TESTS.resolve(block.group(1) + ".java")))).contains(code(block.group(2)));
            assertThat(text).endsWith("](../../saga-test/" + TESTS + "/" + block.group(1) + ".java).\n");
        }
        assertThat(blocks).isPositive();
    }

    /** The first block of a language on a page. */
    static String block(String page, String language) {
        String text = read(PAGES.resolve(page));
        int begin = text.indexOf("```" + language + "\n") + language.length() + 4;
        return text.substring(begin, text.indexOf("```", begin));
    }

    private static String code(String text) {
        return COMMENT.matcher(text).replaceAll("").replaceAll("\\s+", "");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
