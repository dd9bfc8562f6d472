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
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
        I what = input;
        if (what == null) {
            throw new IllegalStateException("the exploration of " + definition + " has no input; say input(what)");
        }
        return new Tour(what).explored();
    }

    /** One exploration. */
    private final class Tour {
        private final I what;
        private final Effects effects = given == null ? new Effects() : given;
        private final List<Finding> findings = new ArrayList<>();
        private final Map<String, Integer> usual = new HashMap<>();
        private final Map<String, Integer> usualConfirms = new HashMap<>();
        private int runs;

        private Tour(I what) {
            this.what = what;
        }

        private Exploration explored() {
            long begin = System.nanoTime();
            learn();
            for (Course course : Course.of(definition)) {
                CrashPoint places = CrashPoint.none();
                run(course, places, course.name());
                writes(course, places.writes());
                calls(course, places.calls());
            }
            return new Exploration(runs, Duration.ofNanos(System.nanoTime() - begin), findings);
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

        private void writes(Course course, List<CrashPoint.Place> writes) {
            for (int i = 0; i < writes.size(); i++) {
                CrashPoint.Place place = writes.get(i);
                interrupt(course, Interruption.DIES_BEFORE_WRITE, i, place);
                if (place.transaction()) {
                    interrupt(course, Interruption.DIES_IN_TRANSACTION, i, place);
                }
                interrupt(course, Interruption.DIES_AFTER_WRITE, i, place);
                if (!place.start()) {
                    interrupt(course, Interruption.STOPS_BEFORE_WRITE, i, place);
                }
            }
        }

        private void calls(Course course, List<CrashPoint.Place> calls) {
            for (int i = 0; i < calls.size(); i++) {
                interrupt(course, Interruption.STOPS_BEFORE_CALL, i, calls.get(i));
            }
        }

        private void interrupt(Course course, Interruption kind, int index, CrashPoint.Place place) {
            if (kinds.contains(kind) && findings.size() < ENOUGH) {
                String name = course.name() + ", and " + kind.at(index + 1, place.what());
                run(course, new CrashPoint(kind, index + 1), name);
            }
        }

        private void run(Course course, CrashPoint point, String name) {
            CrashRun run = prepared(course, point);
            SagaRun end = run.play(definition.type(), what);
            List<String> problems = problems(course, run, end);
            if (!problems.isEmpty()) {
                findings.add(new Finding(name, problems, end));
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
}
