package io.backstep.saga.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/** A {@link Node} in a JVM of its own, seen from outside. */
final class Fork implements AutoCloseable {
    /** The same for all. */
    static final List<String> FLAGS = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

    private static final JsonMapper JSON = new JsonMapper();

    private final String title;
    private final Process process;
    private final Writer commands;
    private final BufferedReader answers;

    private Fork(String title, Process process) {
        this.title = title;
        this.process = process;
        this.commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static Fork of(Contenders contender, Server database, Duration lease) throws IOException {
        return of(contender, database, List.of("-D" + Backstep.LEASE + "=" + lease.toMillis()));
    }

    /** With more flags, which count more than {@link #FLAGS}. */
    static Fork of(Contenders contender, Server database, List<String> more) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(more);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Node.class.getName()));
        command.addAll(List.of(contender.title(), database.url(), database.user(), database.password()));
        return new Fork(
                contender.title(),
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
    }

    /** Tells it something, and waits until it has done that: its answer, in JSON. */
    String call(String command) throws IOException {
        commands.write(command + "\n");
        commands.flush();
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            if (line.startsWith(Node.ANSWER)) {
                return line.substring(Node.ANSWER.length());
            }
        }
        throw new IllegalStateException(title + " has failed at: " + command);
    }

    /** Of what it answers with a sample. */
    Sample sample(String command) throws IOException {
        return JSON.readValue(call(command), Sample.class);
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        commands.close();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            kill();
        }
    }
}
