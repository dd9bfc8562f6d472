package io.backstep.saga.spring;

import io.backstep.saga.engine.SagaEngine;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

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
class SagaMetricsAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    SagaMetrics sagaMetrics(MeterRegistry registry, SagaSettings settings, ListableBeanFactory beans) {
        return new SagaMetrics(
                registry, settings.properties().metrics().durationBuckets(), () -> Definitions.of(beans));
    }
}
