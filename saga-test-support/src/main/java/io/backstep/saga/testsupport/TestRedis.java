package io.backstep.saga.testsupport;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** One Redis for each JVM, if {@code redis-server} is installed; without it the tests are skipped, but fail where {@code CI} is set. */
public final class TestRedis {
    private static final String NONE = "no Redis: apt-get install redis-server";
    private static final int TRIES = 200;

    private TestRedis() {}

    /**
     * The server; it is started by the first call in the JVM, and stopped at its end.
     *
     * @return the port on 127.0.0.1
     */
    public static int port() {
        if (Server.PORT.isEmpty() && System.getenv("CI") != null) {
            throw new IllegalStateException(NONE);
        }
        Assumptions.assumeTrue(Server.PORT.isPresent(), NONE);
        return Server.PORT.orElseThrow();
    }

    private static final class Server {
        static final Optional<Integer> PORT = Stream.of("/usr/bin/redis-server", "/usr/local/bin/redis-server")
                .filter(file -> Files.isExecutable(Path.of(file)))
                .findFirst()
                .map(Server::start);

        private static int start(String file) {
            try {
                int port = FreePort.find();
                Process process = new ProcessBuilder(
                                file, "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
                awaitPort(port);
                return port;
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void awaitPort(int port) throws IOException, InterruptedException {
            for (int tries = 1; ; tries++) {
                try (Socket ignored = new Socket("127.0.0.1", port)) {
                    return;
                } catch (IOException e) {
                    if (tries == TRIES) {
                        throw e;
                    }
                    Thread.sleep(50);
                }
            }
        }
    }
}
