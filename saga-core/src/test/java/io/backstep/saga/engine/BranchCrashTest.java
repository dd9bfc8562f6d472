package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node is killed after each event of a saga with branches, conditions and a join; another one finishes it. */
class BranchCrashTest {

    private static final class World extends CrashWorld {
        /** By name: participants do nothing twice for one key. */
        final Set<String> done = new LinkedHashSet<>();

        final Set<String> undone = new LinkedHashSet<>();

        World(boolean declined) {
            super(declined);
        }

        /** After a: b, c and the transactional t and u beside each other, and s, which is skipped; then the join. */
        @Override
        SagaDefinition<String> definition() {
            SagaStage<String> saga =
                    Saga.define(TYPE).step("a").action(c -> done.add("a")).compensate(c -> undone.add("a"));
            for (String name : List.of("b", "c", "s")) {
                saga = saga.step(name)
                        .after("a")
                        .onlyIf(c -> !name.equals("s"))
                        .action(c -> done.add(name))
                        .compensate(c -> undone.add(name));
            }
            for (String name : List.of("t", "u")) {
                saga = saga.step(name)
                        .after("a")
                        .transactional()
                        .action(c -> commit(name))
                        .compensate(c -> commit("undo " + name));
            }
            return saga.step("join")
                    .after("b", "c", "t", "u", "s")
                    .action(c -> {
                        assertThat(done).contains("a", "b", "c");
                        assertThat(committed).containsExactlyInAnyOrder("t", "u");
                        if (declined) {
                            throw new StepRejectedException("NO", "no");
                        }
                        done.add("join");
                    })
                    .compensate(c -> {})
                    .build();
        }

        @Override
        void checkEffects(UUID id) {
            assertThat(done).contains("a", "b", "c").doesNotContain("s");
            if (declined) {
                assertThat(committed.subList(0, 2)).containsExactlyInAnyOrder("t", "u");
                assertThat(committed.subList(2, committed.size())).containsExactlyInAnyOrder("undo t", "undo u");
                assertThat(undone).containsExactlyInAnyOrder("a", "b", "c").endsWith("a");
            } else {
                assertThat(committed).containsExactlyInAnyOrder("t", "u");
                assertThat(undone).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_node_may_die_after_any_event(boolean declined) throws Exception {
        int events = new World(declined).events();
        assertThat(events).isGreaterThan(25);
        for (int crash = 0; crash <= events; crash++) {
            new World(declined).crashAfter(crash);
        }
    }
}
