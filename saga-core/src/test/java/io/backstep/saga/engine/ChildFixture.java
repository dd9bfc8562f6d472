package io.backstep.saga.engine;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import java.time.Duration;
import java.util.UUID;

/** Parents and children on virtual time. */
abstract class ChildFixture extends EngineFixture {
    static final SagaType<Integer> CHILD = SagaType.named("child", Integer.class);
    static final SagaType<Integer> GRANDCHILD = SagaType.named("grandchild", Integer.class);
    static final Step<Answer> OUTPUT = Step.named("output", Answer.class);
    static final Step<Answer> SHIP = Step.named("ship", Answer.class);

    final TestNode[] nodes = new TestNode[1];

    static SagaStage<Integer> defineChild() {
        return Saga.define(CHILD);
    }

    SagaDefinition<Integer> child() {
        return defineChild()
                .step(OUTPUT)
                .action(c -> {
                    call("child", 0);
                    return new Answer("out of " + c.input());
                })
                .compensate((c, result) ->
                        calls.add("undo child " + result.map(Answer::text).orElse("?")))
                .build();
    }

    SagaDefinition<Integer> slowChild() {
        return defineChild()
                .step(OUTPUT)
                .action(c -> new Answer("done"))
                .compensate((c, result) -> calls.add("undo child"))
                .delay("wait", Duration.ofHours(3))
                .build();
    }

    SagaDefinition<Integer> refusing() {
        return defineChild()
                .step("part")
                .action(c -> calls.add("part"))
                .compensate(c -> calls.add("undo part"))
                .step(OUTPUT)
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .compensate((c, result) -> calls.add("undo child"))
                .build();
    }

    SagaStage<Input> parent() {
        return define().step("one")
                .action(c -> calls.add("one"))
                .compensate(c -> calls.add("undo one"))
                .step(SHIP)
                .startSaga(CHILD, c -> 7, OUTPUT);
    }

    SagaDefinition<Input> parentThatTurns() {
        return parent().step("last")
                .action(c -> {
                    throw new StepRejectedException("NO", "no");
                })
                .compensate(c -> calls.add("undo last"))
                .build();
    }

    UUID childOf(UUID parent) {
        return ChildIds.of(parent, null, "ship", 1);
    }

    void untilChildOf(UUID parent) {
        time.runUntil(() -> memory.find(childOf(parent)).isPresent());
    }
}
