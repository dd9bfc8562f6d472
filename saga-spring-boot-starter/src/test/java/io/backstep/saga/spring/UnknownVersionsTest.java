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
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

class UnknownVersionsTest {
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

    private UnknownVersions of(SagaEngine engine) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("admin", SagaAdmin.of(engine)));
        return new UnknownVersions(engine, beans.getBeanProvider(SagaAdmin.class), nanos::get);
    }

    @Test // F166
    void the_store_is_asked_once_a_minute_however_often_meters_are_read() {
        try (SagaEngine engine = engine()) {
            UnknownVersions versions = of(engine);
            assertThat(versions.total()).as("before the engine runs").isNaN();
            engine.start();
            for (int scrape = 0; scrape < 100; scrape++) {
                assertThat(versions.total()).isEqualTo(3);
                assertThat(versions.sagas()).isEqualTo(Map.of("slow v1", 3));
            }
            assertThat(asked).hasValue(1);

            sagas = 5;
            nanos.addAndGet(UnknownVersions.REFRESH_NANOS);
            assertThat(versions.total()).isEqualTo(5);
            assertThat(asked).hasValue(2);
        }
    }

    @Test // F166
    void while_the_store_fails_it_is_what_it_was() {
        try (SagaEngine engine = engine()) {
            engine.start();
            UnknownVersions versions = of(engine);
            assertThat(versions.total()).isEqualTo(3);
            away = true;
            nanos.addAndGet(UnknownVersions.REFRESH_NANOS);
            assertThat(versions.total()).isEqualTo(3);
            assertThat(versions.total()).isEqualTo(3);
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
