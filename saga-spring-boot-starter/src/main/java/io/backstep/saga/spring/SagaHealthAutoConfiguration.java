package io.backstep.saga.spring;

import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.engine.EngineStatus;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.store.SagaStoreException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of the engine, as {@code saga}. */
@AutoConfiguration(after = SagaAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(SagaEngine.class)
class SagaHealthAutoConfiguration {
    /** The annotation of a module that may be absent stands here, not above: all conditions of a class are loaded at once. */
    @Bean
    @ConditionalOnEnabledHealthIndicator("saga")
    @ConditionalOnMissingBean(name = "sagaHealthIndicator")
    HealthIndicator sagaHealthIndicator(SagaEngine engine, SagaAdmin admin, ObjectProvider<FirstContact> contacts) {
        FirstContact contact = contacts.getIfAvailable();
        return () -> {
            EngineStatus status = contact == null ? engine.status() : contact.status(engine.status());
            return health(status, status.storeReachable() && status.running() ? unknown(admin) : Map.of());
        };
    }

    /** They wait, and nothing is wrong with this node: so it stays up. */
    private static Map<String, Integer> unknown(SagaAdmin admin) {
        try {
            Map<String, Integer> unknown = new LinkedHashMap<>();
            admin.unknownDefinitions()
                    .forEach(version -> unknown.put(version.name() + " v" + version.version(), version.sagas()));
            return unknown;
        } catch (SagaStoreException e) {
            return Map.of(); // the next call of the engine tells whether that is an outage
        }
    }

    private static Health health(EngineStatus status, Map<String, Integer> unknown) {
        Health.Builder health = status.running() && status.storeReachable() ? Health.up() : Health.down();
        health.withDetail("running", status.running())
                .withDetail("storeReachable", status.storeReachable())
                .withDetail("held", status.held());
        if (!unknown.isEmpty()) {
            health.withDetail("unknownDefinitions", unknown);
        }
        String failure = status.lastStoreFailure();
        return (failure == null ? health : health.withDetail("lastStoreFailure", failure)).build();
    }
}
