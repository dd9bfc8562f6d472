package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.store.InMemorySagaStore;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node is killed after each event of a saga with branches, conditions and a join; another one finishes it. */
class BranchCrashTest {
    private static final SagaType<String> TYPE = SagaType.named("crashing", String.class);

    private static final class World {
        final VirtualTime time = new VirtualTime();
        final InMemorySagaStore store = new InMemorySagaStore(time::now);
        /** By name: participants do nothing twice for one key. */
        final Set<String> done = new LinkedHashSet<>();

        final Set<String> undone = new LinkedHashSet<>();
        /** What was committed by transactional steps; an entry that is rolled back goes away. */
        final List<String> committed = new ArrayList<>();

        final boolean declined;

        World(boolean declined) {
            this.declined = declined;
        }

        /** After a: b, c and the transactional t and u beside each other, and s, which is skipped; then the join. */
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

        private void commit(String what) {
            committed.add(what);
            store.transactions().afterRollback(() -> committed.remove(what));
        }

        TestNode node() {
            FaultyStore own = new FaultyStore(store);
            TestNode[] self = new TestNode[1];
            own.answers = time.executor(() -> self[0] == null || self[0].alive());
            self[0] = new TestNode(
                    time,
                    own,
                    store.transactions(),
                    TestNode.tuning(),
                    List.of(),
                    time.executor(() -> self[0] == null || self[0].alive()),
                    definition());
            return self[0].started();
        }

        /** Inside a transaction, as only the answer of the database would end the wait of a start alone. */
        UUID start(TestNode node) throws Exception {
            return store.transactions()
                    .inTransaction(() -> node.client().start(TYPE, "in").sagaId());
        }

        boolean settled(UUID id) {
            SagaStatus status = store.find(id).orElseThrow().status();
            return status.ended() || status == SagaStatus.FAILED;
        }

        void check(UUID id) {
            SagaStatus status = store.find(id).orElseThrow().status();
            assertThat(status).isEqualTo(declined ? SagaStatus.COMPENSATED : SagaStatus.COMPLETED);
            assertThat(done).contains("a", "b", "c").doesNotContain("s");
            if (declined) {
                assertThat(committed.subList(0, 2)).containsExactlyInAnyOrder("t", "u");
                assertThat(committed.subList(2, committed.size())).containsExactlyInAnyOrder("undo t", "undo u");
                assertThat(undone).containsExactlyInAnyOrder("a", "b", "c").endsWith("a");
            } else {
                assertThat(committed).containsExactlyInAnyOrder("t", "u");
                assertThat(undone).isEmpty();
            }
            assertThat(store.history(id).stream()
                            .filter(row -> row.entry().outcome() == Outcome.SUCCEEDED)
                            .map(row -> row.entry().step() + row.entry().phase()))
                    .doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_node_may_die_after_any_event(boolean declined) throws Exception {
        World whole = new World(declined);
        UUID first = whole.start(whole.node());
        whole.time.runUntil(() -> whole.settled(first));
        whole.check(first);
        int events = whole.time.executed();
        assertThat(events).isGreaterThan(25);
        for (int crash = 0; crash <= events; crash++) {
            World world = new World(declined);
            TestNode killed = world.node();
            UUID id = world.start(killed);
            world.time.runUntilExecuted(crash);
            killed.kill();
            world.node();
            world.time.runUntil(() -> world.settled(id));
            world.check(id);
        }
    }
}
