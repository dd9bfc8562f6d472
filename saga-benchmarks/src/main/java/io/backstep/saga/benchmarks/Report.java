package io.backstep.saga.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** Says everything twice: on the console, and in the file of {@code --out}. */
final class Report implements AutoCloseable {
    private static final OperatingSystemMXBean MACHINE =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final PrintStream file;

    private Report(PrintStream file) {
        this.file = file;
    }

    static Report to(Path path) throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        return new Report(new PrintStream(Files.newOutputStream(path), true, StandardCharsets.UTF_8));
    }

    void line(String format, Object... values) {
        String line = values.length == 0 ? format : String.format(Locale.ROOT, format, values);
        System.out.println(line);
        file.println(line);
    }

    void facts(String scenario, List<String> options, Settings settings, Server server) {
        line("command    saga-benchmarks/run " + scenario + " " + String.join(" ", options));
        line("settings   " + settings);
        line("commit     " + System.getProperty("commit", "not known"));
        line("begun      " + now());
        line(
                "machine    %d cores, %.1f GiB, %s %s, load average %s",
                MACHINE.getAvailableProcessors(),
                MACHINE.getTotalMemorySize() / 1024.0 / 1024 / 1024,
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                load());
        line("java       %s %s", System.getProperty("java.vm.name"), System.getProperty("java.runtime.version"));
        line("postgresql " + server.value("select version()"));
        for (String name : List.of(
                "fsync", "synchronous_commit", "full_page_writes", "autovacuum", "shared_buffers", "max_wal_size")) {
            line("  %-20s %s", name, server.value("show " + name));
        }
        line("");
    }

    static String load() {
        return String.format(Locale.ROOT, "%.2f", MACHINE.getSystemLoadAverage());
    }

    static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    @Override
    public void close() {
        file.close();
    }
}
