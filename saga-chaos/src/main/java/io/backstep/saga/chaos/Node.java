package io.backstep.saga.chaos;

import io.backstep.saga.engine.SagaInstance;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node in a JVM of its own. Says READY, then obeys lines on its standard input: {@code start SHAPE KEY} (answers {@code STARTED ID
 * KEY} or {@code REFUSED KEY MESSAGE}), {@code cancel ID} (answers {@code CANCEL ID OUTCOME}), {@code quiet} (does nothing by itself any more). At the end of the input it is gone at once;
 * at SIGTERM it stops with grace.
 */
public final class Node {
    static final String WRONG_CLOCK = "the wall clock is wrong by minutes";

    private static final int STARTERS = 3;
    private static final Logger log = LoggerFactory.getLogger(Node.class);

    private final ChaosNode node;
    private final Starts starts;
    private final List<Habit> habits;

    private Node(ChaosNode node, Starts starts, List<Habit> habits) {
        this.node = node;
        this.starts = starts;
        this.habits = habits;
    }

    /**
     * Runs it.
     *
     * @param args see {@link NodeOptions}
     * @throws Exception when it cannot begin
     */
    public static void main(String[] args) throws Exception {
        NodeOptions options = NodeOptions.of(args);
        ChaosNode node = new ChaosNode(options, Failpoints.NONE, store -> store);
        run(options, node);
    }

    /**
     * Obeys lines until the input ends.
     *
     * @param options what the node was told
     * @param node the node, started
     * @throws IOException when the notes or the input cannot be used
     */
    public static void run(NodeOptions options, ChaosNode node) throws IOException {
        List<Habit> habits = new ArrayList<>();
        Random random = new Random(options.number("seed"));
        Starts starts = new Starts(options, node, random);
        for (int i = 0; i < STARTERS; i++) {
            habits.add(new Habit("starts", options.rate("starts-per-second") / STARTERS, starts::startOne));
        }
        habits.add(new Habit("operator", options.rate("operations-per-second"), new Operator(options, node, random)));
        habits.add(new Habit(
                "forgets",
                options.rate("forgotten-per-second"),
                () -> node.stocks().forget(random)));
        habits.add(new Habit("purge", 1, new Purge(options, node)));
        Stalls.watch(options);
        long wrong = Duration.between(options.clock().now(), Instant.now()).toMinutes();
        if (wrong != 0) {
            log.info("{}: {}", WRONG_CLOCK, wrong);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            habits.forEach(Habit::stop);
            node.close();
        }));
        habits.forEach(Habit::start);
        System.out.println("READY");
        new Node(node, starts, habits).obey();
        Runtime.getRuntime().halt(3);
    }

    private void obey() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            obey(line.split(" "));
        }
    }

    private void obey(String[] words) {
        try {
            switch (words[0]) {
                case "start" -> {
                    SagaInstance saga = starts.start(words[1], words[2]);
                    System.out.println("STARTED " + saga.sagaId() + " " + words[2]);
                }
                case "cancel" ->
                    System.out.println(
                            "CANCEL " + words[1] + " " + node.client().cancel(UUID.fromString(words[1]), "asked for"));
                case "quiet" -> habits.forEach(Habit::stop);
                default -> System.out.println("REFUSED " + String.join(" ", words) + ": start or cancel is allowed");
            }
        } catch (Exception e) {
            System.out.println("REFUSED " + words[words.length - 1] + " "
                    + String.valueOf(e.getMessage()).replace('\n', ' '));
        }
    }
}
