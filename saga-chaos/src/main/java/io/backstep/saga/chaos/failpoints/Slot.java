package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.chaos.ChaosNode;
import io.backstep.saga.chaos.ChaosTables;
import io.backstep.saga.chaos.Failpoints;
import io.backstep.saga.chaos.NodeOptions;
import io.backstep.saga.chaos.NodeProcess;
import io.backstep.saga.chaos.Notes;
import io.backstep.saga.chaos.Stalls;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A database, a second node that lives long, and a victim: plays one case after another. */
final class Slot implements AutoCloseable {
    /** Then a new database is made, so that the checks stay cheap. */
    private static final int CASES_PER_DATABASE = 60;

    private static final long PATIENCE_SECONDS = 120;

    private final String name;
    private final Path folder;
    private final Supplier<TestPostgres.Db> databases;
    private final List<String> flags;
    private @Nullable Ground ground;
    private int grounds;
    private int cases;

    /**
     * Made empty.
     *
     * @param name unique in the run
     * @param folder for the files of its processes
     * @param databases makes empty ones
     * @param flags for the JVMs of the victims
     */
    Slot(String name, Path folder, Supplier<TestPostgres.Db> databases, List<String> flags) {
        this.name = name;
        this.folder = folder;
        this.databases = databases;
        this.flags = flags;
    }

    Result play(Case next) {
        long begin = System.nanoTime();
        Played played = new Played();
        try {
            Ground here = ground();
            here.play(next, name + "-" + ++cases, played);
        } catch (Exception e) {
            played.troubles.add("the case could not be played: " + e);
        }
        if (!played.troubles.isEmpty() || cases % CASES_PER_DATABASE == 0) {
            close(); // what is broken would be seen again and again
        }
        return new Result(
                next, played.hit, played.troubles, played.reached, Duration.ofNanos(System.nanoTime() - begin));
    }

    private Ground ground() throws Exception {
        Ground here = ground;
        if (here == null) {
            String named = name + "-" + ++grounds;
            here = new Ground(named, Files.createDirectories(folder.resolve(named)), databases.get(), flags);
            ground = here;
        }
        return here;
    }

    @Override
    public void close() {
        Ground here = ground;
        ground = null;
        if (here != null) {
            here.close();
        }
    }

    private static final class Played {
        private final List<String> troubles = new ArrayList<>();
        private final Map<String, Integer> reached = new HashMap<>();
        private boolean hit;
        private boolean gone;

        /** Until that line, or the end of the victim. */
        private void listen(NodeProcess victim, String last) throws InterruptedException {
            String line = "";
            while (!gone && !line.startsWith(last) && !line.startsWith("FAILED")) {
                String next = victim.await("", PATIENCE_SECONDS);
                gone = next == null;
                line = next == null ? "" : next;
                hear(line);
            }
        }

        private void hear(String line) {
            if (line.equals("HIT")) {
                hit = true;
            } else if (line.startsWith("FAILED")) {
                troubles.add(line);
            } else if (line.startsWith(Victim.REACHED)) {
                for (String count : line.substring(Victim.REACHED.length()).split(" ")) {
                    String[] parts = count.split("=");
                    reached.put(parts[0], Integer.parseInt(parts[1]));
                }
            }
        }

        private void end(NodeProcess victim, Case played) {
            boolean mayEnd = played.halts() && hit;
            if (gone && !victim.awaitEnd(PATIENCE_SECONDS)) {
                troubles.add("the victim does not answer");
            } else if (gone != mayEnd) {
                troubles.add(gone ? "the victim's JVM has ended" : "the victim's JVM goes on after its end");
            }
            if (gone || played.halts()) {
                victim.kill(); // another one has taken its place
            }
            hit |= played.plan().isEmpty();
        }
    }

    private static final class Ground implements AutoCloseable {
        private final NodeOptions options;
        private final Evidence evidence;
        private final ChaosNode second;
        private final Script script;
        private final List<String> flags;
        private @Nullable NodeProcess victim;
        private int victims;

        private Ground(String name, Path folder, TestPostgres.Db database, List<String> flags) throws Exception {
            this.flags = flags;
            ChaosTables.create(database, database);
            this.evidence = Evidence.in(database, folder);
            this.options = NodeOptions.defaults()
                    .with("url", database.url())
                    .with("far-url", database.url())
                    .with("user", database.user())
                    .with("password", database.password())
                    .with("folder", folder)
                    .with("workers", 4)
                    .with("pool", 6);
            NodeOptions ofSecond = options.with("node", name + "-second")
                    .with("file", "second")
                    .with("poll-millis", 120); // what the victim can take, it shall mostly take
            Stalls.watch(ofSecond);
            Notes taken = Notes.at(VictimOptions.file(ofSecond, "taken"));
            this.second = Script.insist(
                    () -> new ChaosNode(ofSecond, Failpoints.NONE, store -> new TakenStore(store, taken)));
            this.script = new Script(
                    second,
                    database,
                    Notes.at(VictimOptions.file(ofSecond, "acknowledged")),
                    Notes.at(VictimOptions.file(ofSecond, "operated")),
                    moment -> {});
        }

        private void play(Case next, String key, Played played) throws Exception {
            NodeProcess here = victim();
            if (next.halts()) {
                victim = fork(); // it begins while this one dies
            }
            here.tell(next.command(key));
            played.listen(here, "SCRIPTED");
            if (played.gone) {
                script.run(next.scenario(), key);
            }
            played.troubles.addAll(evidence.awaitQuiet());
            if (!played.gone) {
                here.tell("end");
                played.listen(here, Victim.REACHED);
            }
            played.end(here, next);
            played.troubles.addAll(evidence.troubles(next, key));
        }

        private NodeProcess victim() throws IOException, InterruptedException {
            NodeProcess here = victim;
            if (here == null || !here.alive()) {
                here = fork();
                victim = here;
            }
            if (!here.ready() && here.await("READY", PATIENCE_SECONDS) == null) {
                throw new IllegalStateException("the victim does not begin; see its files");
            }
            return here;
        }

        private NodeProcess fork() throws IOException {
            String name = "victim-" + ++victims;
            return NodeProcess.start(
                    Victim.class,
                    options.with("node", options.values().get("node") + "-" + name)
                            .with("file", name)
                            .with("poll-millis", 20),
                    flags,
                    Map.of());
        }

        /** The victim ends in order, if it can. */
        @Override
        public void close() {
            NodeProcess here = victim;
            if (here != null) {
                here.terminate();
                here.awaitEnd(PATIENCE_SECONDS);
                here.kill();
            }
            second.close();
        }
    }
}
