package io.backstep.saga.examples.plain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in a process of its own, with the dependencies that docs/example.md names, and what they bring, on its class path. */
class WithoutSpringIT {
    private static final List<String> NEEDED = List.of(
            "saga-core",
            "saga-jdbc-store",
            "flyway-core",
            "flyway-database-postgresql",
            "jackson-",
            "jspecify",
            "HikariCP",
            "h2-",
            "slf4j-api",
            "logback-");

    @TempDir
    private Path folder;

    @Test
    void prints_what_becomes_of_the_orders() throws IOException, InterruptedException {
        String output = run();

        assertThat(output)
                .contains("An order that completes: COMPLETED")
                .contains("A payment that is declined: the rest is undone, last first: COMPENSATED")
                .contains("Noted and started in one transaction: COMPLETED")
                .contains("The same in a transaction of the caller's: COMPLETED")
                .contains("Noted and started, and rolled back: nothing is left")
                .doesNotContain("DEBUG", "ERROR");
    }

    private String run() throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1", // it does not live long
                        "-cp",
                        classPath(),
                        PlainOrders.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean over = process.waitFor(2, TimeUnit.MINUTES);
        process.destroyForcibly().waitFor();
        String text = Files.readString(output);
        assertThat(over).as(text).isTrue();
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(WithoutSpringIT::isNeeded)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isNeeded(String entry) {
        return !entry.contains("spring") && NEEDED.stream().anyMatch(entry::contains)
                || Files.isDirectory(Path.of(entry));
    }
}
