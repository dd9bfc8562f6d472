package io.backstep.saga.state;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Probe;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.definition.VoidCompensationStage;
import io.backstep.saga.definition.VoidStepStage;
import io.backstep.saga.definition.VoidTryStage;
import java.time.Duration;

/** Small sagas. Everything is tried twice, a second apart. */
final class Sagas {
    static final Duration DELAY = Duration.ofSeconds(1);
    static final Duration SETTLED_WITHIN = DELAY;
    static final Step<String> YES = Step.named("yes", String.class);
    static final Step<String> LATE_YES = Step.named("late-yes", String.class);

    private static final SagaType<String> CHILD = SagaType.named("child", String.class);
    private static final Retry TWICE = Retry.fixed(DELAY).maxAttempts(2);

    private Sagas() {}

    static SagaStage<String> saga(String name) {
        return Saga.define(SagaType.named(name, String.class));
    }

    /** Remote steps of each kind: a, b, pivot, ship, mail. */
    static SagaDefinition<String> order() {
        return best(ship(pivot(step(step(saga("order"), "a"), "b")))).build();
    }

    /** The same, transactional. */
    static SagaDefinition<String> local() {
        SagaStage<String> stage = localStep(localStep(saga("local"), "a"), "b");
        stage = stage.pivot("pivot").transactional().action(c -> {}).retry(TWICE);
        stage = stage.retriable("ship").transactional().action(c -> {}).retry(TWICE);
        return stage.bestEffort("mail")
                .transactional()
                .action(c -> {})
                .retry(TWICE)
                .build();
    }

    /** No pivot: a, note (needs no compensation), b, mail. */
    static SagaDefinition<String> undecided() {
        return best(step(note(step(saga("undecided"), "a")), "b")).build();
    }

    /** No pivot: note (needs no compensation), b. */
    static SagaDefinition<String> noted() {
        return step(note(saga("noted")), "b").build();
    }

    /** One step that needs no compensation. */
    static SagaDefinition<String> noteOnly() {
        return note(saga("note-only")).build();
    }

    /** No pivot, stops at the first compensation that is spent: a, b. */
    static SagaDefinition<String> strict() {
        return step(step(step(saga("strict"), "a"), "b"), "c")
                .strictCompensation()
                .build();
    }

    /** a, then b and c and mail side by side, then pivot, then ship. */
    static SagaDefinition<String> branches() {
        SagaStage<String> stage = step(saga("branches"), "a");
        stage = undoable(stage.step("b").after("a"));
        stage = undoable(stage.step("c").after("a"));
        stage = stage.bestEffort("mail").after("a").action(c -> {}).retry(TWICE);
        stage = stage.pivot("pivot").after("b", "c").action(c -> {}).retry(TWICE);
        return stage.retriable("ship")
                .after("pivot")
                .after("mail")
                .action(c -> {})
                .retry(TWICE)
                .build();
    }

    /** a and b side by side, then pivot: small enough for every order of events. */
    static SagaDefinition<String> sideBySide() {
        SagaStage<String> stage = step(saga("side-by-side"), "a");
        return pivot(undoable(stage.step("b").afterStart())).build();
    }

    /** a, then pivot, then mail, and each of them asks its condition first. */
    static SagaDefinition<String> conditional() {
        SagaStage<String> stage = undoable(saga("conditional").step("a").onlyIf(c -> true));
        stage = stage.pivot("pivot").onlyIf(c -> true).action(c -> {}).retry(TWICE);
        return stage.bestEffort("mail")
                .onlyIf(c -> true)
                .action(c -> {})
                .retry(TWICE)
                .build();
    }

    /** a, then it waits for yes, pivot, and once more; then it rests. */
    static SagaDefinition<String> waits() {
        SagaStage<String> stage = step(saga("waits"), "a").awaitSignal(YES, DELAY);
        return pivot(stage).awaitSignal(LATE_YES, DELAY).delay("rest", DELAY).build();
    }

    /** a, and a wait for yes with a condition, and a rest, all side by side. */
    static SagaDefinition<String> waitsBeside() {
        SagaStage<String> stage = step(saga("waits-beside"), "a");
        return stage.awaitSignal(YES, DELAY)
                .afterStart()
                .onlyIf(c -> true)
                .delay("rest", DELAY)
                .afterStart()
                .build();
    }

    /** a, whose undoing is settled later, and b, whose is not. */
    static SagaDefinition<String> settling() {
        SagaStage<String> stage = saga("settling")
                .step("a")
                .action(c -> {})
                .compensate(c -> {})
                .retry(TWICE)
                .compensationRetry(TWICE)
                .compensationAwaits(YES, SETTLED_WITHIN);
        return step(stage, "b").build();
    }

    /** a, then a child that is undone with it. */
    static SagaDefinition<String> family() {
        return step(saga("family"), "a")
                .step("child")
                .startSaga(CHILD, c -> "in")
                .retry(TWICE)
                .build();
    }

    /** a, then a pivot that starts a child, then one more child. */
    static SagaDefinition<String> decidedByChild() {
        return step(saga("decided-by-child"), "a")
                .pivot("pivot")
                .startSaga(CHILD, c -> "in")
                .retry(TWICE)
                .retriable("ship")
                .startSaga(CHILD, c -> "in")
                .retry(TWICE)
                .build();
    }

    /** a, pivot and ship, each of which can be asked what came of it. */
    static SagaDefinition<String> probed() {
        SagaStage<String> stage = saga("probed")
                .step("a")
                .action(c -> {})
                .probeOutcome(c -> Probe.unknown())
                .compensate(c -> {})
                .retry(TWICE)
                .compensationRetry(TWICE);
        stage = stage.pivot("pivot")
                .action(c -> {})
                .probeOutcome(c -> Probe.unknown())
                .retry(TWICE);
        return stage.retriable("ship")
                .action(c -> {})
                .probeOutcome(c -> Probe.unknown())
                .retry(TWICE)
                .build();
    }

    /** a, then b, which can be asked, then pivot, then mail: none is called again when it may have taken effect. */
    static SagaDefinition<String> once() {
        SagaStage<String> stage = saga("once")
                .step("a")
                .action(c -> {})
                .compensate(c -> {})
                .retry(TWICE)
                .atMostOnce()
                .compensationRetry(TWICE);
        stage = stage.step("b")
                .action(c -> {})
                .probeOutcome(c -> Probe.unknown())
                .noCompensation("it only reads")
                .atMostOnce()
                .retry(TWICE);
        stage = stage.pivot("pivot").action(c -> {}).retry(TWICE).atMostOnce();
        return stage.bestEffort("mail")
                .action(c -> {})
                .retry(TWICE)
                .atMostOnce()
                .build();
    }

    /** a and b side by side, of which a can be asked; then pivot, whose no says that there was no effect. */
    static SagaDefinition<String> probedBranch() {
        SagaStage<String> stage = saga("probed-branch")
                .step("a")
                .action(c -> {})
                .probeOutcome(c -> Probe.unknown())
                .compensate(c -> {})
                .retry(TWICE)
                .compensationRetry(TWICE);
        stage = undoable(stage.step("b").afterStart());
        return stage.pivot("pivot")
                .action(c -> {})
                .retry(TWICE)
                .rejectionIsDefinite()
                .build();
    }

    /** a is tried, then pivot. */
    static SagaDefinition<String> tried() {
        return pivot(tcc(saga("tried").tcc("a"))).build();
    }

    /** a is tried, then pivot, then ship, which waits for the confirm, and beside it mail, which does not. */
    static SagaDefinition<String> triedOrder() {
        SagaStage<String> stage = ship(pivot(tcc(saga("tried-order").tcc("a"))));
        return stage.bestEffort("mail")
                .after("pivot")
                .action(c -> {})
                .retry(TWICE)
                .build();
    }

    /** No pivot: a and b are tried side by side. */
    static SagaDefinition<String> triedBeside() {
        SagaStage<String> stage = Tcc.define(SagaType.named("tried-beside", String.class));
        return tcc(tcc(stage.tcc("a")).tcc("b")).build();
    }

    /** a and b are tried, one after the other, then pivot, then ship. */
    static SagaDefinition<String> triedPair() {
        return ship(pivot(tcc(tcc(saga("tried-pair").tcc("a")).tcc("b")))).build();
    }

    /** No pivot: a is tried if its condition holds; mail ends it. */
    static SagaDefinition<String> triedMaybe() {
        return triedMaybe(TWICE);
    }

    static SagaDefinition<String> triedMaybe(Retry confirmRetry) {
        SagaStage<String> stage = saga("tried-maybe")
                .tcc("a")
                .onlyIf(c -> true)
                .tryAction(c -> {})
                .confirm(c -> {})
                .cancel(c -> {})
                .retry(TWICE)
                .compensationRetry(TWICE)
                .confirmRetry(confirmRetry);
        return best(stage).build();
    }

    private static SagaStage<String> tcc(VoidTryStage<String> placed) {
        return placed.tryAction(c -> {})
                .confirm(c -> {})
                .cancel(c -> {})
                .retry(TWICE)
                .compensationRetry(TWICE)
                .confirmRetry(TWICE);
    }

    static SagaStage<String> undoable(VoidStepStage<String, VoidCompensationStage<String>> placed) {
        return placed.action(c -> {}).compensate(c -> {}).retry(TWICE).compensationRetry(TWICE);
    }

    static SagaStage<String> step(SagaStage<String> saga, String name) {
        return undoable(saga.step(name));
    }

    private static SagaStage<String> localStep(SagaStage<String> saga, String name) {
        return saga.step(name)
                .transactional()
                .action(c -> {})
                .compensate(c -> {})
                .retry(TWICE)
                .compensationRetry(TWICE);
    }

    private static SagaStage<String> note(SagaStage<String> saga) {
        return saga.step("note").action(c -> {}).noCompensation("it only reads").retry(TWICE);
    }

    static SagaStage<String> pivot(SagaStage<String> saga) {
        return saga.pivot("pivot").action(c -> {}).retry(TWICE);
    }

    private static SagaStage<String> ship(SagaStage<String> saga) {
        return saga.retriable("ship").action(c -> {}).retry(TWICE);
    }

    static SagaStage<String> best(SagaStage<String> saga) {
        return saga.bestEffort("mail").action(c -> {}).retry(TWICE);
    }
}
