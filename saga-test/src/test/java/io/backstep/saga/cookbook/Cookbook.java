package io.backstep.saga.cookbook;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The pages of docs/cookbook. Java code in them is a part of a test beside this class, between {@code // begin: name} and
 * {@code // end: name}; the page says which: {@code <!-- code: BranchesPageTest definition -->} before the block.
 */
final class Cookbook {
    private static final Path PAGES =
            Path.of("").toAbsolutePath().getParent().resolve("docs").resolve("cookbook");
    private static final Path TESTS = Path.of("src/test/java/io/backstep/saga/cookbook");
    private static final Pattern BLOCK =
            Pattern.compile("(?:<!-- code: (\\w+) (\\w+) -->\n)?```java\n(.*?)```\n", Pattern.DOTALL);

    private Cookbook() {}

    static List<Path> pages() {
        try (Stream<Path> files = Files.list(PAGES)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The page, with all its Java code as it is in the tests. */
    static String refreshed(Path page) {
        StringBuilder text = new StringBuilder();
        Matcher block = BLOCK.matcher(read(page));
        while (block.find()) {
            if (block.group(1) == null) {
                throw new AssertionError(page + " does not say where this is from: " + block.group());
            }
            String code = code(block.group(1), block.group(2));
            String fresh = "<!-- code: " + block.group(1) + " " + block.group(2) + " -->\n```java\n" + code + "```\n";
            block.appendReplacement(text, Matcher.quoteReplacement(fresh));
        }
        return block.appendTail(text).toString();
    }

    /** The first block of a language. */
    static String block(String page, String language) {
        String text = read(PAGES.resolve(page));
        int begin = text.indexOf("```" + language + "\n") + language.length() + 4;
        return text.substring(begin, text.indexOf("```", begin));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String code(String test, String name) {
        List<String> lines = read(TESTS.resolve(test + ".java")).lines().toList();
        List<String> found = new ArrayList<>();
        boolean inside = false;
        for (String line : lines) {
            inside &= !line.strip().equals("// end: " + name);
            if (inside) {
                found.add(line);
            }
            inside |= line.strip().equals("// begin: " + name);
        }
        if (found.isEmpty()) {
            throw new AssertionError(test + " has no part " + name);
        }
        return String.join("\n", found).stripIndent() + "\n";
    }
}
