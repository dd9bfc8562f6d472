package io.backstep.saga.test.exploration;

import io.backstep.saga.definition.SagaDefinition;
import java.util.List;

/** Everything that the tests look at, explored once. */
final class Explored {
    /** More faults on each way, for a run of its own. */
    private static final int MORE = Integer.getInteger("exploration.more", 0);

    private static final List<String> ONE_STEP = List.of("c", "t", "p", "q");
    private static final List<String> TWO_STEPS = List.of("cp", "tq", "pr", "cb", "ct!", "nc");
    private static final List<String> THREE_STEPS = List.of("cpr", "tqu", "cnb", "ccp!", "bcp", "pub");
    private static final List<String> CONDITIONS = List.of("C", "P", "Cp", "cP", "CB", "pU", "Nc", "CC!", "cPr");
    private static final List<String> TO_THE_LIMIT = List.of("pr", "bc", "Cc");

    private static final List<String> WAITS =
            List.of("s", "d", "cs", "sc", "csp", "dcp", "ps", "pd", "psr", "prd", "cbs", "ss", "ds", "cs!");

    private static final List<String> CHILDREN = List.of(
            "k", "m", "o", "v", "kc", "ck", "co", "kk", "kp", "mp", "ov", "kv", "pw", "vw", "vr", "vb", "bk", "ckp",
            "Kc", "cV", "pW", "ks", "kd", "kc!");

    final Findings findings = new Findings();
    final Coverage coverage = new Coverage();
    private int sagas;
    private long worlds;
    private long transitions;

    private Explored() {
        Shape.all(4).forEach(shape -> explore(shape, Shape.of(shape), Bounds.faults(1)));
        Shape.all(3).forEach(shape -> explore(shape, Shape.of(shape), Bounds.faults(2)));
        THREE_STEPS.forEach(shape -> explore(shape, Shape.of(shape), Bounds.faults(3)));
        TWO_STEPS.forEach(shape -> explore(shape, Shape.of(shape), Bounds.faults(4)));
        ONE_STEP.forEach(
                shape -> explore(shape, Shape.of(shape), Bounds.crashes(6).withOperator()));
        Branches.all().forEach((name, definition) -> explore(name, definition, Bounds.faults(2)));
        CONDITIONS.forEach(shape -> explore(shape, Shape.of(shape), Bounds.faults(3)));
        WAITS.forEach(shape -> explore(shape, Shape.of(shape), Bounds.faults(3)));
        CHILDREN.forEach(shape -> explore(shape, Shape.of(shape), Bounds.faults(3)));
        operator();
    }

    private void operator() {
        Shape.all(3)
                .forEach(shape ->
                        explore(shape, Shape.of(shape), Bounds.faults(1).withOperator()));
        TWO_STEPS.forEach(
                shape -> explore(shape, Shape.of(shape), Bounds.faults(3).withOperator()));
        CONDITIONS.forEach(
                shape -> explore(shape, Shape.of(shape), Bounds.faults(2).withOperator()));
        WAITS.forEach(shape -> explore(shape, Shape.of(shape), Bounds.faults(2).withOperator()));
        CHILDREN.forEach(
                shape -> explore(shape, Shape.of(shape), Bounds.faults(2).withOperator()));
        Branches.all()
                .forEach((name, definition) ->
                        explore(name, definition, Bounds.faults(1).withOperator()));
        TO_THE_LIMIT.forEach(
                shape -> explore(shape, Shape.of(shape), Bounds.crashes(5).withOperator()));
    }

    static Explored once() {
        return Once.EXPLORED;
    }

    long worlds() {
        return worlds;
    }

    @Override
    public String toString() {
        return sagas + " sagas, " + worlds + " states, " + transitions + " transitions";
    }

    private void explore(String name, SagaDefinition<?> saga, Bounds bounds) {
        Bounds more = new Bounds(bounds.faults() + MORE, bounds.crashes(), bounds.operator());
        Explorer explorer = new Explorer(name, saga, Machine.of(saga), more, findings, coverage);
        explorer.run();
        sagas++;
        worlds += explorer.worlds();
        transitions += explorer.transitions();
    }

    private static final class Once {
        static final Explored EXPLORED = new Explored();
    }
}
