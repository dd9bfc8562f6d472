package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.Tcc;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node is killed after each event of a saga with tries, confirms and cancels; another one finishes it. */
class TccCrashTest {
    private static final class World extends CrashWorld {
        final Set<String> tried = new LinkedHashSet<>();
        final Set<String> confirmed = new LinkedHashSet<>();
        final Set<String> cancelled = new LinkedHashSet<>();
        private final boolean pivot;

        World(boolean pivot, boolean declined) {
            super(declined);
            this.pivot = pivot;
        }

        @Override
        SagaDefinition<String> definition() {
            SagaStage<String> saga = pivot ? Saga.define(TYPE) : Tcc.define(TYPE);
            for (String name : List.of("a", "b", "c")) {
                saga = saga.tcc(name)
                        .tryAction(c -> {
                            if (declined && !pivot && name.equals("b")) {
                                throw new StepRejectedException("NO", "no");
                            }
                            tried.add(name);
                        })
                        .confirm(c -> {
                            assertThat(tried).contains("a", "b", "c");
                            assertThat(cancelled).isEmpty();
                            assertThat(committed).hasSize(pivot ? 1 : 0);
                            confirmed.add(name);
                        })
                        .cancel(c -> {
                            assertThat(confirmed).isEmpty();
                            assertThat(committed).isEmpty();
                            cancelled.add(name);
                        });
            }
            return pivot ? decided(saga) : saga.build();
        }

        private SagaDefinition<String> decided(SagaStage<String> saga) {
            return saga.pivot("decide")
                    .transactional()
                    .action(c -> {
                        if (declined) {
                            throw new StepRejectedException("NO", "no");
                        }
                        commit("decided");
                    })
                    .retriable("ship")
                    .action(c -> assertThat(confirmed).contains("a", "b", "c"))
                    .build();
        }

        @Override
        void checkEffects(UUID id) {
            if (declined) {
                assertThat(confirmed).isEmpty();
                assertThat(cancelled).containsAll(tried);
            } else {
                assertThat(confirmed).containsExactlyInAnyOrder("a", "b", "c");
                assertThat(cancelled).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void a_node_may_die_after_any_event(boolean pivot, boolean declined) throws Exception {
        int events = new World(pivot, declined).events();
        assertThat(events).isGreaterThan(10);
        for (int crash = 0; crash <= events; crash++) {
            new World(pivot, declined).crashAfter(crash);
        }
    }
}
