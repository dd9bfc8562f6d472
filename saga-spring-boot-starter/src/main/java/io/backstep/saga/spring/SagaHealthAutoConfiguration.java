package io.backstep.saga.spring;

import io.backstep.saga.engine.EngineStatus;
import io.backstep.saga.engine.SagaEngine;
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
    HealthIndicator sagaHealthIndicator(SagaEngine engine, ObjectProvider<FirstContact> contacts) {
        FirstContact contact = contacts.getIfAvailable();
        return () -> health(contact == null ? engine.status() : contact.status(engine.status()));
    }

    private static Health health(EngineStatus status) {
        Health.Builder health = status.running() && status.storeReachable() ? Health.up() : Health.down();
        health.withDetail("running", status.running())
                .withDetail("storeReachable", status.storeReachable())
                .withDetail("held", status.held());
        String failure = status.lastStoreFailure();
        return (failure == null ? health : health.withDetail("lastStoreFailure", failure)).build();
    }
}
