package io.backstep.saga.spring;

import io.backstep.saga.engine.SagaEngine;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Counts sagas, if Micrometer is there. */
@AutoConfiguration(
        after = SagaAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, SagaEngine.class})
@ConditionalOnBooleanProperty(name = "saga.metrics.enabled", matchIfMissing = true)
@Import(StoredSagas.class)
class SagaMetricsAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    SagaMetrics sagaMetrics(
            ObjectProvider<MeterRegistry> registries,
            SagaSettings settings,
            ListableBeanFactory beans,
            StoredSagas stored) {
        MeterRegistry registry = registries.getIfUnique(() -> all(registries));
        SagaMetrics metrics = new SagaMetrics(
                registry, settings.properties().metrics().durationBuckets(), () -> Definitions.of(beans), stored);
        return metrics;
    }

    @Bean
    @ConditionalOnBean(StoredMessages.class)
    OutboxMetrics sagaOutboxMetrics(ObjectProvider<MeterRegistry> registries, StoredMessages stored) {
        return new OutboxMetrics(registries.getIfUnique(() -> all(registries)), stored);
    }

    /** Without Spring Boot's own composite: every registry gets every meter. */
    private static MeterRegistry all(ObjectProvider<MeterRegistry> registries) {
        return new CompositeMeterRegistry(
                Clock.SYSTEM, registries.orderedStream().toList());
    }
}
