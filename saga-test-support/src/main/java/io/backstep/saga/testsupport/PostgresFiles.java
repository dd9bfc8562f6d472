package io.backstep.saga.testsupport;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The folder of a {@link PostgresServer}, and the programs that work on it. */
final class PostgresFiles {
    private static final int LARGEST_PIECE = 1 << 16;
    private static final int DELETIONS = 10;
    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
    private static final Map<String, String> SETTINGS = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "listen_addresses", "127.0.0.1",
            "unix_socket_directories", "",
            "max_connections", "200",
            "max_prepared_transactions", "50",
            "shared_buffers", "32MB",
            "timezone", "UTC");

    private final Path folder;
    private final boolean mounted;
    private Path program = Path.of("pg_ctl");

    private PostgresFiles(Path folder, boolean mounted) {
        this.folder = folder;
        this.mounted = mounted;
    }

    static PostgresFiles create(int megabytes) throws IOException {
        Path folder = Files.createTempDirectory("saga-postgres");
        if (megabytes > 0) {
            Path disk = Files.createDirectory(folder.resolve("disk"));
            run(
                    folder.resolve("mount.log"),
                    List.of("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", disk.toString()));
        } else {
            Files.createDirectory(folder.resolve("disk"));
        }
        return new PostgresFiles(folder, megabytes > 0);
    }

    /** Makes the data by a short run of the embedded server, which also unpacks the programs. Returns the port. */
    int initialise(Map<String, String> settings) throws IOException {
        int port = FreePort.find();
        try (EmbeddedPostgres ignored = EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(data())
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(true)
                .setPGStartupWait(Duration.ofSeconds(60))
                .start()) {
            program = programs().resolve("pg_ctl");
        }
        Map<String, String> all = new LinkedHashMap<>(SETTINGS);
        all.put("port", String.valueOf(port));
        all.putAll(mounted ? Map.of("max_wal_size", "48MB", "min_wal_size", "32MB") : Map.of());
        all.putAll(settings);
        configure(all);
        return port;
    }

    /** A copy of the data, which follows the server of that port. The server must be down. Returns the port. */
    int follow(PostgresFiles leader, int leadersPort) throws IOException {
        program = leader.program;
        try (Stream<Path> all = Files.walk(leader.data())) {
            for (Path file : (Iterable<Path>) all::iterator) {
                Path copy = data().resolve(leader.data().relativize(file).toString());
                Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        int port = FreePort.find();
        Files.createFile(data().resolve("standby.signal"));
        configure(Map.of(
                "port", String.valueOf(port), "primary_conninfo", "host=127.0.0.1 user=postgres port=" + leadersPort));
        return port;
    }

    private Path programs() throws IOException {
        String command = ProcessHandle.of(process())
                .flatMap(process -> process.info().command())
                .orElseThrow();
        return Path.of(command).resolveSibling("");
    }

    /** The last word on a setting counts. */
    void configure(Map<String, String> settings) throws IOException {
        List<String> lines = settings.entrySet().stream()
                .map(setting -> setting.getKey() + " = '" + setting.getValue().replace("'", "''") + "'")
                .toList();
        Files.write(data().resolve("postgresql.conf"), lines, StandardOpenOption.APPEND);
    }

    /** It refuses to run as root: in a user namespace it is nobody. */
    void control(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(ROOT ? List.of("unshare", "-U") : List.of());
        command.addAll(List.of(program.toString(), "-D", data().toString()));
        command.addAll(List.of(arguments));
        run(log(), command);
    }

    private static void run(Path log, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        try {
            if (process.waitFor() != 0) {
                throw new IOException(
                        String.join(" ", command) + " failed with " + process.exitValue() + ":\n" + tail(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private static String tail(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
    }

    /** Whether a server owns the data; after a crash of the server itself its file may be left. */
    boolean hasProcess() {
        try {
            return ProcessHandle.of(process()).isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    private long process() throws IOException {
        List<String> lines = Files.readAllLines(data().resolve("postmaster.pid"));
        if (lines.isEmpty()) {
            throw new IOException("it is just being written");
        }
        return Long.parseLong(lines.get(0).trim());
    }

    private Path data() {
        return folder.resolve("disk").resolve("data");
    }

    Path log() {
        return folder.resolve("log");
    }

    /** Ever smaller pieces, until not even the smallest fits. */
    void fill() {
        if (!mounted) {
            throw new IllegalStateException("the server shares its disk with everybody: startOnSmallDisk");
        }
        for (int size = LARGEST_PIECE; size > 0; size /= 16) {
            fill(new byte[size]);
        }
    }

    private void fill(byte[] piece) {
        try (OutputStream filler =
                Files.newOutputStream(filler(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (true) {
                filler.write(piece);
            }
        } catch (IOException e) {
            // no space is left for a piece of this size
        }
    }

    void emptyAgain() throws IOException {
        Files.deleteIfExists(filler());
    }

    private Path filler() {
        return folder.resolve("disk").resolve("filler");
    }

    void delete() {
        try {
            if (mounted) {
                run(
                        folder.resolve("mount.log"),
                        List.of("umount", "-l", folder.resolve("disk").toString()));
            }
            for (int tries = 0; tries < DELETIONS && Files.exists(folder); tries++) {
                deleteAll();
            }
        } catch (IOException e) {
            // a folder for temporary files stays behind
        }
    }

    /** A server that has just ended may still take away files of its own. */
    private void deleteAll() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (UncheckedIOException e) {
            if (!(e.getCause() instanceof NoSuchFileException)) {
                throw e.getCause();
            }
        }
    }
}
