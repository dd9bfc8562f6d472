package io.backstep.saga.test;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/**
 * Runs a saga again and again, and each time interrupts the node that runs it at another place: before and after each of its writes,
 * inside the transactions of its steps, and before its calls of participants ({@link Interruption}). Another node takes over. When the
 * saga has ended, what its participants have done must be whole: no effect twice under one key; all effects of a saga that is COMPLETED,
 * and none left of one that is COMPENSATED; and nothing confirmed that was not tried, or was cancelled. All of this without faults, and for
 * each step with its rejection, and with its replies lost. A step with a {@link io.backstep.saga.definition.Probe probe} also has calls that
 * come too late, and a probe that does not know; one with a confirm has that confirm's replies lost.
 *
 * <pre>{@code
 * Effects effects = new Effects();
 * CrashExplorer.of(PlaceOrderSaga.definition(new FakeOrders(effects), new FakePayments(effects)))
 *     .input(new PlaceOrder("book", 1))
 *     .effects(effects)
 *     .explore()
 *     .assertSound();
 * }</pre>
 *
 * <p>The engine is the real one, on one thread and on virtual time, so that a run takes milliseconds and is the same each time. The
 * store is one in memory, or a real one, see {@link #on}.
 *
 * @param <I> the input of the saga
 */
public final class CrashExplorer<I> {
    private static final int ENOUGH = 20;
    private static final String UNINTERRUPTED = "the node is not interrupted";

    private final SagaDefinition<I> definition;
    private final Set<Interruption> kinds = EnumSet.allOf(Interruption.class);
    private final List<SagaDefinition<?>> children = new ArrayList<>();
    private final List<Moment> moments = new ArrayList<>();
    private @Nullable I input;
    private @Nullable SagaStore store;
    private @Nullable Transactions transactions;
    private @Nullable Effects given;
    private Runnable beforeEach = () -> {};
    private Consumer<SagaRun> check = run -> {};

    private CrashExplorer(SagaDefinition<I> definition) {
        this.definition = definition;
    }

    /**
     * Begins to explore.
     *
     * @param definition the saga, with participants that suit a test: they are called by hundreds of sagas, each with keys of its own
     * @param <I> its input
     * @return the explorer, which needs an input
     */
    public static <I> CrashExplorer<I> of(SagaDefinition<I> definition) {
        return new CrashExplorer<>(definition);
    }

    /**
     * Lets the saga start another one. Each write of that one is a place to be interrupted at, too; nothing else goes wrong with it.
     *
     * @param child the definition of a saga that a step starts
     * @return this
     */
    public CrashExplorer<I> with(SagaDefinition<?> child) {
        children.add(child);
        return this;
    }

    /**
     * Lets somebody do something in each run, such as send the signal that the saga waits for. Whoever gets no answer, as the node dies, does it
     * again with the next one: give signals a message id.
     *
     * @param time after the start of the saga
     * @param what is handed a client, and the id of the saga
     * @return this
     */
    public CrashExplorer<I> at(Duration time, BiConsumer<SagaClient, UUID> what) {
        moments.add(new Moment(time, what));
        return this;
    }

    /**
     * Gives each saga this input. Without faults the saga must end with it.
     *
     * @param what the input
     * @return this
     */
    public CrashExplorer<I> input(I what) {
        this.input = what;
        return this;
    }

    /**
     * Runs it on a real store instead of one in memory, in a database that nobody else works on: its tables must be there. Its sagas stay.
     *
     * @param real the store
     * @param joined its transactions, the same that transactional steps work with
     * @return this
     */
    public CrashExplorer<I> on(SagaStore real, Transactions joined) {
        this.store = real;
        this.transactions = joined;
        return this;
    }

    /**
     * Compares what participants have done.
     *
     * @param ledger what the participants of the definition write to
     * @return this
     */
    public CrashExplorer<I> effects(Effects ledger) {
        this.given = ledger;
        return this;
    }

    /**
     * Does something before each run, such as to refill a stock.
     *
     * @param what does it
     * @return this
     */
    public CrashExplorer<I> beforeEach(Runnable what) {
        this.beforeEach = what;
        return this;
    }

    /**
     * Checks something more when a saga has ended or is parked: rows of the application's tables, or the history.
     *
     * @param what throws an {@link AssertionError} for what must not be so
     * @return this
     */
    public CrashExplorer<I> check(Consumer<SagaRun> what) {
        this.check = what;
        return this;
    }

    /**
     * Leaves out an interruption.
     *
     * @param kind which
     * @return this
     */
    public CrashExplorer<I> without(Interruption kind) {
        kinds.remove(kind);
        return this;
    }

    /**
     * Runs it all; stops early when it has found plenty.
     *
     * @return what was found
     * @throws IllegalStateException without an input, when the saga does not end even without faults, or when the participants have
     *     written nothing to the {@link #effects} that they were given
     */
    public Exploration explore() {
        return new Tour().explored();
    }

    /**
     * Gives each run as a test of its own, for a method with {@link org.junit.jupiter.api.TestFactory @TestFactory}: a container for each
     * thing that goes wrong besides, in it a test for each place where the node is interrupted, which fails with what was found there.
     *
     * @return the containers; places are looked for when JUnit comes to them
     * @throws IllegalStateException as {@link #explore} does
     */
    public Stream<DynamicNode> tests() {
        return new Tour().tests();
    }

    /** One exploration. */
    private final class Tour {
        private final I what;
        private final Effects effects = given == null ? new Effects() : given;
        private final Map<String, Integer> usual = new HashMap<>();
        private final Map<String, Integer> usualConfirms = new HashMap<>();
        private final Lock oneAtATime = new ReentrantLock();
        private int runs;

        private Tour() {
            I asked = input;
            if (asked == null) {
                throw new IllegalStateException("the exploration of " + definition + " has no input; say input(what)");
            }
            this.what = asked;
            learn();
        }

        /** What is usual is what is so when nothing goes wrong. */
        private void learn() {
            CrashRun clean = prepared(Course.clean(), CrashPoint.none());
            SagaRun end = clean.play(definition.type(), what);
            if (!end.saga().ended()) {
                throw new IllegalStateException("without faults this saga does not end: " + end);
            }
            if (given != null && effects.all().isEmpty()) {
                throw new IllegalStateException("no participant of " + definition
                        + " has written to the effects that it was given; call applied(key) where something is done");
            }
            for (String step : effects.steps(clean.sagaId())) {
                usual.put(step, effects.left(clean.sagaId(), step));
                usualConfirms.put(step, effects.count(clean.sagaId(), step, Effects.Kind.CONFIRMED));
            }
        }

        private Exploration explored() {
            long begin = System.nanoTime();
            List<Finding> findings = new ArrayList<>();
            for (Course course : Course.of(definition)) {
                CrashPoint places = CrashPoint.none();
                run(course, places, course.name()).ifPresent(findings::add);
                for (Trial trial : trials(places)) {
                    if (findings.size() < ENOUGH) {
                        run(course, trial).ifPresent(findings::add);
                    }
                }
            }
            return new Exploration(runs, Duration.ofNanos(System.nanoTime() - begin), findings);
        }

        private Stream<DynamicNode> tests() {
            return Course.of(definition).stream()
                    .map(course -> DynamicContainer.dynamicContainer(course.name(), tests(course)));
        }

        /** The first one runs at once, as it tells the places. Does it throw, it is the only one, and the other courses go on. */
        private Stream<DynamicTest> tests(Course course) {
            CrashPoint places = CrashPoint.none();
            try {
                Optional<Finding> found = run(course, places, course.name());
                return Stream.concat(
                        Stream.of(test(UNINTERRUPTED, () -> found)),
                        trials(places).stream().map(trial -> test(trial.name(), () -> run(course, trial))));
            } catch (Throwable e) {
                return Stream.of(DynamicTest.dynamicTest(UNINTERRUPTED, () -> {
                    throw e;
                }));
            }
        }

        private static DynamicTest test(String name, Supplier<Optional<Finding>> run) {
            return DynamicTest.dynamicTest(
                    name, () -> run.get().map(Finding::toString).ifPresent(Assertions::fail));
        }

        /** What can be interrupted, and how. */
        private List<Trial> trials(CrashPoint places) {
            List<Trial> trials = new ArrayList<>();
            for (int i = 0; i < places.writes().size(); i++) {
                CrashPoint.Place place = places.writes().get(i);
                trials.add(new Trial(Interruption.DIES_BEFORE_WRITE, i + 1, place));
                if (place.transaction()) {
                    trials.add(new Trial(Interruption.DIES_IN_TRANSACTION, i + 1, place));
                }
                trials.add(new Trial(Interruption.DIES_AFTER_WRITE, i + 1, place));
                if (!place.start()) {
                    trials.add(new Trial(Interruption.STOPS_BEFORE_WRITE, i + 1, place));
                }
            }
            for (int i = 0; i < places.calls().size(); i++) {
                trials.add(new Trial(
                        Interruption.STOPS_BEFORE_CALL, i + 1, places.calls().get(i)));
            }
            trials.removeIf(trial -> !kinds.contains(trial.kind()));
            return trials;
        }

        private Optional<Finding> run(Course course, Trial trial) {
            String name = course.name() + ", and " + trial.name();
            return run(course, new CrashPoint(trial.kind(), trial.number()), name);
        }

        private Optional<Finding> run(Course course, CrashPoint point, String name) {
            oneAtATime.lock(); // JUnit may be set to run tests in parallel: there is one ledger
            try {
                CrashRun run = prepared(course, point);
                SagaRun end = run.play(definition.type(), what);
                List<String> problems = problems(course, run, end);
                return problems.isEmpty() ? Optional.empty() : Optional.of(new Finding(name, problems, end));
            } finally {
                oneAtATime.unlock();
            }
        }

        private CrashRun prepared(Course course, CrashPoint point) {
            runs++;
            beforeEach.run();
            effects.clear();
            return new CrashRun(definition, children, moments, store, transactions, effects, course.faults(), point);
        }

        private List<String> problems(Course course, CrashRun run, SagaRun end) {
            SagaStatus status = end.saga().status();
            List<String> problems =
                    new EffectChecks(definition, effects, usual, usualConfirms).problems(run.sagaId(), status);
            for (SagaDefinition<?> child : children) {
                EffectChecks checks = new EffectChecks(child, effects, Map.of(), Map.of());
                run.ends(child).forEach((id, ended) -> problems.addAll(checks.problemsOfChild(id, ended)));
            }
            if (status.active()) {
                problems.add("it has not ended");
            } else if (status == SagaStatus.FAILED && !course.mayPark()) {
                problems.add("it is parked: " + end.saga().reason());
            }
            try {
                check.accept(end);
            } catch (AssertionError e) {
                problems.add(String.valueOf(e.getMessage()));
            }
            return problems;
        }
    }

    /** An interruption of a course at a place that the course has come to without it. */
    private record Trial(Interruption kind, int number, CrashPoint.Place place) {
        String name() {
            return kind.at(number, place.what());
        }
    }
}
