package io.backstep.saga.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** One PgBouncer for each JVM, in transaction mode, before {@link TestPostgres}. */
public final class TestPgBouncer {
    private static final String INI = """
            [databases]
            * = host=%s port=%d user=%s password=%s
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = %d
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = 40
            max_client_conn = 500
            server_login_retry = 0.2
            ignore_startup_parameters = extra_float_digits
            """;

    private TestPgBouncer() {}

    /**
     * Whether PgBouncer is installed.
     *
     * @return false also on a developer's machine without it
     * @throws IllegalStateException when it is not installed, and the environment variable {@code CI} says that it must be
     */
    public static boolean isThere() {
        boolean there = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "pgbouncer"))
                .anyMatch(Files::isExecutable);
        if (!there && System.getenv("CI") != null) {
            throw new IllegalStateException("CI is set, and pgbouncer is not installed: see .ci/run");
        }
        return there;
    }

    /**
     * The same database, through PgBouncer; without prepared statements of the server, which it does not know in this mode.
     *
     * @param database a database of TestPostgres
     * @return how to get there
     */
    public static TestPostgres.Db before(TestPostgres.Db database) {
        URI server = URI.create(database.url().substring("jdbc:".length()));
        int port = Holder.started(server, database);
        String url = "jdbc:postgresql://127.0.0.1:" + port + server.getPath() + "?prepareThreshold=0";
        return new TestPostgres.Db(url, database.user(), database.password());
    }

    private static final class Holder {
        private static int port;

        private static synchronized int started(URI server, TestPostgres.Db database) {
            if (port == 0) {
                try {
                    port = start(server, database);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return port;
        }

        private static int start(URI server, TestPostgres.Db database) throws IOException {
            int free = FreePort.find();
            Path ini = Files.createTempFile("pgbouncer", ".ini");
            Files.writeString(
                    ini, INI.formatted(server.getHost(), server.getPort(), database.user(), database.password(), free));
            ini.toFile().deleteOnExit();
            Process process = new ProcessBuilder(command(ini))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            waitFor(process, free);
            return free;
        }

        /** It refuses to run as root: in a user namespace it is nobody. */
        private static List<String> command(Path ini) {
            boolean root = "root".equals(System.getProperty("user.name"));
            return root
                    ? List.of("unshare", "-U", "pgbouncer", "-q", ini.toString())
                    : List.of("pgbouncer", "-q", ini.toString());
        }

        private static void waitFor(Process process, int port) throws IOException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (process.isAlive() && System.nanoTime() < end) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    return;
                } catch (IOException e) {
                    Thread.onSpinWait();
                }
            }
            throw new IllegalStateException("pgbouncer does not answer, exit code "
                    + (process.isAlive() ? "none" : String.valueOf(process.exitValue())));
        }
    }
}
