package io.backstep.saga.simulation;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.store.InstanceRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Everything that one seed has. */
final class World {
    private static final Instant ORIGIN = Instant.parse("2026-03-01T10:00:00Z");

    final Scenario scenario;
    final Trace trace;
    final Loop loop;
    final Tally tally = new Tally();
    final Participant participant = new Participant(tally);
    final Network network;
    final Hints hints;
    final Database database;
    final List<SagaDefinition<Integer>> definitions = new ArrayList<>();
    final List<SagaMigration> migrations = new ArrayList<>();
    final Checker checker;
    final CallRules callRules;
    final TccRules tcc;
    final Trouble trouble;
    final People people;
    final Heard heard = new Heard();
    final Set<UUID> purged = new HashSet<>();
    private @Nullable Violation violation;
    private long lastId;

    World(Scenario scenario, Trace trace, LoopThread.Crew crew) {
        this.scenario = scenario;
        this.trace = trace;
        this.loop = new Loop(trace, crew);
        trace.clock(loop::now);
        this.network = new Network(this);
        this.hints = new Hints(this);
        this.database = new Database(this::databaseNow, this);
        this.checker = new Checker(this);
        this.callRules = new CallRules(this);
        this.tcc = new TccRules(this);
        database.commits = checker;
        Calls calls = new Calls(this);
        scenario.shapes.forEach(shape -> definitions.add(Shapes.build(shape, calls)));
        scenario.children.forEach(shape -> definitions.add(Shapes.build(shape, calls)));
        scenario.next.forEach(shape -> next(shape, Shapes.build(shape, calls)));
        this.trouble = new Trouble(this);
        this.people = new People(this);
    }

    private void next(Shape shape, SagaDefinition<Integer> definition) {
        definitions.stream()
                .filter(other -> other.name().equals(shape.name()) && other.version() == shape.version() - 1)
                .findFirst()
                .ifPresent(former -> migrations.add(
                        Moves.migration(scenario.shape(shape.name(), former.version()), shape, former, definition)));
        definitions.add(definition);
    }

    Instant databaseNow() {
        return databaseTime(loop.now());
    }

    Instant databaseTime(long at) {
        return ORIGIN.plusNanos(at / 1000 * 1000);
    }

    /** No fault begins any more. */
    boolean calm() {
        return loop.now() >= scenario.faultsEnd;
    }

    UUID nextId() {
        lastId++;
        return new UUID(0x0190_0000_0000_7000L | (lastId >>> 8 << 16), 0x8000_0000_0000_0000L | lastId);
    }

    boolean knows(String owner, int version) {
        return trouble.node(owner).map(node -> node.knows(version)).orElse(false);
    }

    boolean stopping(String owner) {
        return trouble.node(owner).map(node -> !node.serves()).orElse(false);
    }

    /** A violation ends the run, also where somebody would catch it. */
    void guarded(Supplier<String> where, Runnable check) {
        try {
            check.run();
        } catch (Violation e) {
            fail(new Violation(e.invariant, where.get() + ": " + e.getMessage()));
        }
    }

    void fail(Violation found) {
        if (violation == null) {
            violation = found;
            trace.line(() -> "VIOLATION " + found.getMessage());
            loop.end();
        }
    }

    /** Runs the seed to its end. */
    void run() throws Throwable {
        loop.soon(() -> {
            trouble.begin();
            people.begin();
            loop.at(scenario.faultsEnd, trouble::calmDown);
            loop.at(scenario.faultsEnd + 6 * scenario.lease, this::look);
        });
        loop.run();
        if (violation != null) {
            throw violation;
        }
    }

    private void look() {
        List<InstanceRow> open = checker.sagas().values().stream()
                .map(saga -> saga.row)
                .filter(row -> row.status().active() && !checker.family.isStuck(row.sagaId()))
                .toList();
        guarded(() -> "mail", this::mailIsRead);
        if (loop.now() > scenario.bound) {
            fail(new Violation("E1", "not settled " + Duration.ofNanos(loop.now()) + " after the start: " + open));
        } else if (open.isEmpty() && people.settled() && trouble.settled()) {
            end();
        } else {
            loop.after(scenario.lease, this::look);
        }
    }

    /** When nothing goes wrong any more, nobody's wish waits for long. */
    private void mailIsRead() {
        long patience = 4 * scenario.poll + 2 * scenario.lease + scenario.longestCall;
        checker.sagas().forEach((id, saga) -> {
            boolean late = saga.row.status().active()
                    && loop.now() - Math.max(saga.mailAt, scenario.faultsEnd) > patience
                    && saga.mailAt < loop.now();
            Model.require(
                    !late, "MAIL", () -> "saga " + id + " has had mail since " + saga.mailAt + " ns: " + saga.row);
        });
    }

    private void end() {
        guarded(() -> "at the end", () -> {
            checker.sagas().values().forEach(saga -> new EndRules(this).ended(saga, saga.row));
            checker.sagas().values().forEach(saga -> tcc.ended(saga, saga.row));
            tcc.swept();
            people.check();
            heard.check(this);
            trouble.check();
        });
        loop.end();
    }
}
