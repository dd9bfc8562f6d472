package io.backstep.saga.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.examples.ExampleApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** The order service in a process of its own. */
final class OrderProcess implements AutoCloseable {
    private static final Pattern UP = Pattern.compile("Tomcat started on port (\\d+)");
    private static final Pattern LOGIN =
            Pattern.compile("curl -u operator:([\\w-]{22,}) 'localhost:(\\d+)/admin/sagas\\?status=FAILED'");
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final Process process;
    private final Path output;
    private final int port;
    private final OrderApi api;

    private OrderProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
        this.port = awaitPort();
        this.api = new OrderApi(port);
    }

    static OrderProcess start(Path output, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", // it does not live long
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ExampleApplication.class.getName(),
                "--server.port=0",
                "--spring.profiles.active=test",
                "--example.answer-within=500ms",
                "--saga.lease=2s",
                "--saga.poll-interval=200ms"));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        return new OrderProcess(builder.redirectOutput(output.toFile()).start(), output);
    }

    OrderApi api() {
        return api;
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Waits until the process has said it. */
    String awaitOutput(String said) {
        return Awaitility.await().atMost(PATIENCE).until(this::text, text -> text.contains(said));
    }

    /** The operator's password, from the line that is printed for people to copy. */
    String awaitLogin() {
        Matcher login = Awaitility.await().atMost(PATIENCE).until(() -> LOGIN.matcher(text()), Matcher::find);
        assertThat(login.group(2)).isEqualTo(String.valueOf(port));
        return login.group(1);
    }

    /** What the service answers to that line with this password. */
    int listsParked(String password) {
        return new OperatorApi(port, "operator", password).get("?status=FAILED").status();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }

    private int awaitPort() {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !process.isAlive() || text().contains("Started ExampleApplication"));
        Matcher up = UP.matcher(text());
        if (!up.find() || !process.isAlive()) {
            process.destroyForcibly();
            throw new IllegalStateException("the service did not start:\n" + text());
        }
        return Integer.parseInt(up.group(1));
    }

    private String text() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
