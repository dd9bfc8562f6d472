package io.backstep.saga.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An installed MariaDB, started on a data folder of its own and stopped at the end of the JVM. */
final class MariaDbServer {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final List<Path> FOLDERS = Stream.concat(
                    Stream.of(System.getenv().getOrDefault("PATH", "").split(":")),
                    Stream.of("/usr/sbin", "/usr/bin", "/usr/local/bin"))
            .map(Path::of)
            .toList();

    private final Path folder;

    private MariaDbServer(Path folder) {
        this.folder = folder;
    }

    /** The port, or empty when none is installed. */
    static Optional<Integer> start() {
        return installed("mariadbd")
                .flatMap(server -> installed("mariadb-install-db").map(init -> started(server, init)));
    }

    private static Optional<Path> installed(String name) {
        return FOLDERS.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static int started(Path server, Path init) {
        try {
            MariaDbServer starting = new MariaDbServer(Files.createTempDirectory("saga-mariadb"));
            starting.run(init, "--auth-root-authentication-method=normal", "--skip-test-db")
                    .waitFor();
            return starting.listening(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Fast, and in a time zone that is neither UTC nor that of any node. Data need not survive a lost machine. */
    private int listening(Path server) throws IOException, InterruptedException {
        int port = FreePort.find();
        Process process = run(
                server,
                "--socket=" + folder.resolve("socket"),
                "--pid-file=" + folder.resolve("pid"),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--skip-name-resolve",
                "--default-time-zone=+09:30",
                "--max-connections=300",
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-doublewrite=0",
                "--innodb-buffer-pool-size=64M",
                "--innodb-log-file-size=32M");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(process), "mariadb-stop"));
        awaitAnswer(process, port);
        return port;
    }

    private Process run(Path program, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(program.toString(), "--no-defaults", "--datadir=" + folder.resolve("data")));
        if (System.getProperty("user.name").equals("root")) {
            command.add("--user=root");
        }
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
    }

    private Path log() {
        return folder.resolve("log");
    }

    private void awaitAnswer(Process process, int port) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (!answers(port)) {
            if (!process.isAlive() || System.nanoTime() - begin > PATIENCE.toNanos()) {
                throw new IllegalStateException("MariaDB does not answer:\n" + Files.readString(log()));
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static boolean answers(int port) {
        try (Connection connection =
                DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port + "/", "root", "")) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    private void stop(Process process) {
        process.destroyForcibly();
        try (Stream<Path> files = Files.walk(folder)) {
            process.waitFor();
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
