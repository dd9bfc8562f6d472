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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Says everything twice: on the console, and in the file of {@code --out}. */
final class Report implements AutoCloseable {
    private static final OperatingSystemMXBean MACHINE =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private static final List<String> SHOWN =
            List.of("fsync", "synchronous_commit", "full_page_writes", "autovacuum", "shared_buffers", "max_wal_size");

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

    /** Says of a bar whether it is met. */
    boolean atLeast(String what, double value, double bound) {
        return bar(new Bars.Bar(what, value, bound, true));
    }

    /** The same. */
    boolean atMost(String what, double value, double bound) {
        return bar(new Bars.Bar(what, value, bound, false));
    }

    private boolean bar(Bars.Bar bar) {
        line(
                "%s: %s, bar: %s %s: %s",
                bar.what(),
                Chart.number(bar.value()),
                bar.atLeast() ? "at least" : "at most",
                Chart.number(bar.bound()),
                bar.met() ? "met" : "MISSED");
        return bar.met();
    }

    void facts(Settings settings, Server server) {
        line("command    " + command());
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
        for (String name : SHOWN) {
            line("  %-20s %s", name, server.value("show " + name));
        }
        line("");
    }

    /** What a reader of the results has to know. No names of hosts or folders. */
    Map<String, String> peersFacts(Settings settings, Server server) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("command", command());
        facts.put("commit", System.getProperty("commit", "not known"));
        facts.put("begun", now());
        facts.put(
                "machine",
                String.format(
                        Locale.ROOT,
                        "%d cores, %.0f GiB, %s %s; PostgreSQL and the JVMs share it",
                        MACHINE.getAvailableProcessors(),
                        MACHINE.getTotalMemorySize() / 1024.0 / 1024 / 1024,
                        System.getProperty("os.name"),
                        System.getProperty("os.arch")));
        facts.put("load average at the start", load());
        facts.put("Java", System.getProperty("java.runtime.version") + ", " + String.join(" ", Fork.FLAGS));
        facts.put("PostgreSQL", server.value("show server_version"));
        for (String name : SHOWN) {
            facts.put(name, server.value("show " + name));
        }
        facts.put("lease", settings.text("lease-seconds") + " s (the default is 10)");
        facts.put("finished sagas in W5", settings.text("finished"));
        facts.put("rounds", settings.text("rounds") + " of " + settings.text("seconds") + " s");
        return facts;
    }

    private static String command() {
        return System.getProperty("command", "bin/benchmark").replaceAll(" --(url|user|password)[= ]\\S*", "");
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
