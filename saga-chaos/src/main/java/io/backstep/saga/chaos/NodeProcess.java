package io.backstep.saga.chaos;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Node} in a JVM of its own, and what is done to it from outside. */
public final class NodeProcess implements AutoCloseable {
    private static final String GONE = "GONE";

    private final Process process;
    private final String node;
    private final Writer commands;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private volatile boolean ready;

    private NodeProcess(Process process, String node) {
        this.process = process;
        this.node = node;
        this.commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "lines of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a JVM.
     *
     * @param mainClass what it runs, a {@link Node} or something like it
     * @param options what it is told
     * @param flags for the JVM
     * @param environment variables to set
     * @return the process; it is not ready yet
     * @throws IOException when it cannot be started
     */
    public static NodeProcess start(
            Class<?> mainClass, NodeOptions options, List<String> flags, Map<String, String> environment)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx128m"));
        command.add("-Dorg.slf4j.simpleLogger.logFile=" + options.file("log"));
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=info");
        command.add("-Dorg.slf4j.simpleLogger.showDateTime=true");
        command.add("-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS");
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass.getName()));
        command.addAll(options.arguments());
        Files.createDirectories(Path.of(options.text("folder")));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        File errors = options.file("err").toFile();
        return new NodeProcess(builder.redirectError(errors).start(), options.node());
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                ready |= line.equals("READY");
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("ERROR " + e);
        }
        lines.add(GONE);
    }

    /**
     * Its id for the system.
     *
     * @return the pid
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Its id for the engine.
     *
     * @return the id
     */
    public String node() {
        return node;
    }

    /**
     * Whether it has said so.
     *
     * @return true once it can start sagas
     */
    public boolean ready() {
        return ready;
    }

    /**
     * Whether it lives, running or stopped.
     *
     * @return false when it has ended
     */
    public boolean alive() {
        return process.isAlive();
    }

    /**
     * Sends a line.
     *
     * @param line what it is to do
     * @throws IOException when it is gone
     */
    public void tell(String line) throws IOException {
        commands.write(line + "\n");
        commands.flush();
    }

    /**
     * Waits for its next line that begins so; others are skipped.
     *
     * @param prefix how it begins
     * @param seconds how long
     * @return the line, or null when it is gone or the time is up
     * @throws InterruptedException when this thread is interrupted
     */
    public @Nullable String await(String prefix, long seconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            String line = lines.poll(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (line == null || line.equals(GONE) || line.startsWith(prefix)) {
                return line == null || line.equals(GONE) ? null : line;
            }
        }
    }

    /** SIGKILL, and waits for its end. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd(60);
    }

    /** SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /**
     * Waits for its end.
     *
     * @param seconds how long
     * @return whether it has ended
     */
    public boolean awaitEnd(long seconds) {
        try {
            return process.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Sends any other signal, such as STOP or CONT.
     *
     * @param name without SIG
     * @throws IOException when it cannot be sent
     */
    public void signal(String name) throws IOException {
        try {
            new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD) // it may be gone
                    .start()
                    .waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
