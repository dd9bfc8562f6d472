package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.chaos.ChaosNode;
import io.backstep.saga.chaos.NodeOptions;
import io.backstep.saga.chaos.Notes;
import io.backstep.saga.chaos.Stalls;
import io.backstep.saga.chaos.failpoints.Scenario.Moment;
import io.backstep.saga.testsupport.CommitProxy;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The node that meets the fault, in a JVM of its own. Says READY, then obeys lines: {@code case KEY SCENARIO} or {@code case KEY SCENARIO
 * POINT HIT FAULT} makes a new engine behind a new proxy and plays the scenario; it says HIT just before the fault, and SCRIPTED
 * when the saga has ended, or FAILED. {@code end} closes the engine, and answers with how often each failpoint was passed. Unless the
 * fault ends the JVM, it plays many cases.
 */
final class Victim {
    /** The last line of a case. */
    static final String REACHED = "REACHED ";

    private static final Duration PAUSE = Duration.ofMillis(900); // three leases

    private final NodeOptions options;
    private final TestPostgres.Db direct;
    private final Notes acknowledged;
    private final Notes operated;
    private final Notes taken;

    private Victim(NodeOptions options) throws IOException {
        this.options = options;
        this.direct = VictimOptions.database(options);
        this.acknowledged = Notes.at(VictimOptions.file(options, "acknowledged"));
        this.operated = Notes.at(VictimOptions.file(options, "operated"));
        this.taken = Notes.at(VictimOptions.file(options, "taken"));
    }

    public static void main(String[] args) throws Exception {
        NodeOptions options = NodeOptions.of(args);
        Stalls.watch(options);
        Victim victim = new Victim(options);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        say("READY");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("case ")) {
                victim.play(line.split(" "), lines);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private void play(String[] words, BufferedReader lines) throws Exception {
        Optional<Plan> plan = words.length < 6
                ? Optional.empty()
                : Optional.of(new Plan(words[3], Integer.parseInt(words[4]), Fault.valueOf(words[5])));
        Scenario scenario = Scenario.valueOf(words[2]);
        try (CommitProxy proxy = CommitProxy.before(direct)) {
            Traps traps = new Traps(proxy, PAUSE);
            if (new Case(scenario, plan).needsRecovery()) {
                traps.arm(new Plan("submit.committed", 1, Fault.CUT), () -> {});
                traps.arm(new Plan("inTransaction.committed", 1, Fault.CUT), () -> {});
            }
            Arming arming = new Arming(scenario, traps, plan);
            arming.accept(Moment.BEFORE_ENGINE);
            try (ChaosNode node = Script.insist(() -> node(proxy, traps))) {
                run(node, scenario, words[1], arming);
                while (!"end".equals(lines.readLine())) {
                    say("FAILED: end is expected");
                }
            }
            say(REACHED
                    + traps.reached().entrySet().stream()
                            .map(count -> count.getKey() + "=" + count.getValue())
                            .collect(Collectors.joining(" ")));
        }
    }

    private record Arming(Scenario scenario, Traps traps, Optional<Plan> plan)
            implements java.util.function.Consumer<Moment> {
        @Override
        public void accept(Moment moment) {
            plan.filter(one -> scenario.armedAt(one.point()) == moment)
                    .ifPresent(one -> traps.arm(one, () -> say("HIT")));
        }
    }

    private ChaosNode node(CommitProxy proxy, Traps traps) {
        Calls calls = new Calls();
        return new ChaosNode(
                options.with("url", proxy.through(direct).url()),
                traps,
                dataSource -> FailpointDataSource.around(dataSource, traps, calls),
                store -> new FailpointStore(new TakenStore(store, taken), traps, calls));
    }

    private void run(ChaosNode node, Scenario scenario, String key, Arming arming) {
        try {
            new Script(node, direct, acknowledged, operated, arming).run(scenario, key);
            say("SCRIPTED");
        } catch (Exception e) {
            say("FAILED " + String.valueOf(e).replace('\n', ' '));
        }
    }
}
