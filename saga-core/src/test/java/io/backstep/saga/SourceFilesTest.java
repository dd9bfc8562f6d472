package io.backstep.saga;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules about the source files of every module, which the compiled classes don't show. */
class SourceFilesTest {

    private static final int MOST_LINES = 400;
    static final Path PROJECT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
    private static final Pattern TEST =
            Pattern.compile("^\\s*@(ParameterizedTest|RepeatedTest|ArchTest|TestFactory|Test)\\b", Pattern.MULTILINE);
    private static final Pattern NAME_THAT_RUNS = Pattern.compile(".*(Test|IT|Contract)\\.java");
    private static final Pattern SYNCHRONIZED_BLOCK = Pattern.compile("\\bsynchronized\\s*\\(");

    @Test
    void the_walk_finds_this_project() {
        assertThat(mainSources())
                .contains(PROJECT.resolve("saga-core/src/main/java/io/backstep/saga/package-info.java"));
    }

    @Test
    void no_file_is_over_400_lines() {
        assertThat(mainSources().stream().filter(file -> read(file).lines().count() > MOST_LINES))
                .isEmpty();
    }

    @Test
    void every_package_is_null_marked() {
        Stream<Path> packages = mainSources().stream().map(Path::getParent).distinct();

        assertThat(packages.map(folder -> folder.resolve("package-info.java")).filter(file -> !isNullMarked(file)))
                .isEmpty();
    }

    @Test
    void core_locks_nothing_outside_its_adapters() {
        Path core = PROJECT.resolve("saga-core/src/main/java/io/backstep/saga");
        Stream<Path> checked = mainSources().stream()
                .filter(file -> file.startsWith(core))
                .filter(file -> !file.startsWith(core.resolve("time")))
                .filter(file -> !file.equals(core.resolve("store/InMemorySagaStore.java")));

        assertThat(checked.filter(file ->
                        SYNCHRONIZED_BLOCK.matcher(withoutComments(file)).find()))
                .isEmpty();
    }

    @Test
    void every_test_has_a_name_that_the_build_runs() {
        Stream<Path> tests =
                sources("src/test/java").filter(file -> TEST.matcher(read(file)).find());

        assertThat(tests.filter(file -> !NAME_THAT_RUNS.matcher(file.toString()).matches()))
                .isEmpty();
    }

    private static boolean isNullMarked(Path file) {
        return Files.exists(file) && withoutComments(file).contains("@NullMarked");
    }

    private static String withoutComments(Path file) {
        return COMMENT.matcher(read(file)).replaceAll("");
    }

    private static List<Path> mainSources() {
        return sources("src/main/java").toList();
    }

    static Stream<Path> sources(String folder) {
        try (Stream<Path> modules = Files.list(PROJECT)) {
            return modules
                    .map(module -> module.resolve(folder))
                    .filter(Files::isDirectory)
                    .flatMap(SourceFilesTest::javaFiles)
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
