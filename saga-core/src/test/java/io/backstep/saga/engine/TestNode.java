package io.backstep.saga.engine;

import io.backstep.saga.Alert;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** A node on virtual time: a real engine by the production builder, with other ports. */
final class TestNode {
    private static final AtomicLong NEXT_ID = new AtomicLong();

    final List<Alert> alerts = new ArrayList<>();
    final SagaEngine engine;
    private boolean alive = true;

    TestNode(VirtualTime time, SagaStore store, Transactions transactions, Tuning tuning, SagaDefinition<?>... known) {
        this.engine = SagaEngine.builder()
                .store(store)
                .transactions(transactions)
                .tuning(tuning)
                .executor(time.executor(() -> alive))
                .storeExecutor(Runnable::run)
                .timer(time.timer(() -> alive))
                .clock(time.clock())
                .ids(() -> new UUID(0x7000L, 0x8000000000000000L | NEXT_ID.incrementAndGet()))
                .randomness(() -> 0)
                .alertListener(alerts::add)
                .build();
        for (SagaDefinition<?> definition : known) {
            engine.register(definition);
        }
    }

    static Tuning tuning() {
        return Tuning.defaults().withLease(Duration.ofSeconds(10), Duration.ofSeconds(1));
    }

    TestNode started() {
        engine.start();
        return this;
    }

    SagaClient client() {
        return engine.client();
    }

    /** As kill -9: nothing that it has begun goes on. */
    void kill() {
        alive = false;
    }
}
