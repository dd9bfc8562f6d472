package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.UnknownDefinition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

class StoredSagasTest {
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();
    private int sagas = 3;
    private boolean away;

    private final InMemorySagaStore memory = new InMemorySagaStore();
    private final ForwardingStore store = new ForwardingStore(memory) {
        @Override
        public List<UnknownDefinition> unknown(List<Integer> definitionIds, int most) {
            asked.incrementAndGet();
            if (away) {
                throw new SagaStoreException("SAGA-DB-001", "away", SagaStoreException.Effect.NONE, null);
            }
            return List.of(new UnknownDefinition("slow", 1, sagas));
        }
    };

    private StoredSagas of(SagaEngine engine) {
        return of(engine, nanos::get);
    }

    private static StoredSagas of(SagaEngine engine, LongSupplier nanos) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("admin", SagaAdmin.of(engine)));
        return new StoredSagas(engine, beans.getBeanProvider(SagaAdmin.class), nanos);
    }

    /** Of an engine that has not been started. */
    static StoredSagas unasked() {
        InMemorySagaStore none = new InMemorySagaStore();
        return of(
                SagaEngine.builder()
                        .store(none)
                        .transactions(none.transactions())
                        .build(),
                () -> 0);
    }

    @Test // F166
    void the_store_is_asked_once_a_minute_however_often_meters_are_read() {
        try (SagaEngine engine = engine()) {
            StoredSagas stored = of(engine);
            assertThat(stored.unknown()).as("before the engine runs").isNaN();
            engine.start();
            for (int scrape = 0; scrape < 100; scrape++) {
                assertThat(stored.unknown()).isEqualTo(3);
                assertThat(stored.seen().unknown()).isEqualTo(Map.of("slow v1", 3));
            }
            assertThat(asked).hasValue(1);

            sagas = 5;
            nanos.addAndGet(StoredSagas.REFRESH_NANOS);
            assertThat(stored.unknown()).isEqualTo(5);
            assertThat(asked).hasValue(2);
        }
    }

    @Test // F166
    void while_the_store_fails_it_is_what_it_was() {
        try (SagaEngine engine = engine()) {
            engine.start();
            StoredSagas stored = of(engine);
            assertThat(stored.unknown()).isEqualTo(3);
            away = true;
            nanos.addAndGet(StoredSagas.REFRESH_NANOS);
            assertThat(stored.unknown()).isEqualTo(3);
            assertThat(stored.unknown()).isEqualTo(3);
            assertThat(asked).hasValue(2);
        }
    }

    private SagaEngine engine() {
        return SagaEngine.builder()
                .store(store)
                .transactions(memory.transactions())
                .build();
    }
}
