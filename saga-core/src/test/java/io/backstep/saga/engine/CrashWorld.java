package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.InMemorySagaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * One run of a saga whose nodes are killed, on its own store and its own time: every call of the store and every answer of it is an event
 * of its own.
 */
abstract class CrashWorld {
    static final SagaType<String> TYPE = SagaType.named("crashing", String.class);

    final VirtualTime time = new VirtualTime();
    final InMemorySagaStore store = new InMemorySagaStore(time::now);

    /** What was committed by transactional steps; an entry that is rolled back goes away. */
    final List<String> committed = new ArrayList<>();

    final boolean declined;

    CrashWorld(boolean declined) {
        this.declined = declined;
    }

    abstract SagaDefinition<String> definition();

    /** What the participants hold once the saga has ended. */
    abstract void checkEffects(UUID id);

    void commit(String what) {
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
        checkEffects(id);
        assertThat(store.history(id).stream()
                        .filter(row -> row.entry().outcome() == Outcome.SUCCEEDED)
                        .map(row -> row.entry().step() + row.entry().phase()))
                .doesNotHaveDuplicates();
    }

    /** How many events it takes when nobody is killed. */
    int events() throws Exception {
        UUID id = start(node());
        time.runUntil(() -> settled(id));
        check(id);
        return time.executed();
    }

    /** The node that starts the saga is killed after so many events, and another one ends it. */
    void crashAfter(int events) throws Exception {
        TestNode killed = node();
        UUID id = start(killed);
        time.runUntilExecuted(events);
        killed.kill();
        node();
        time.runUntil(() -> settled(id));
        check(id);
    }
}
