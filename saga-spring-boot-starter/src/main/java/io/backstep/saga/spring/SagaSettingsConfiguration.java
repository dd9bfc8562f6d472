package io.backstep.saga.spring;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The checked properties. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(SagaProperties.class)
class SagaSettingsConfiguration {
    @Bean
    SagaSettings sagaSettings(SagaProperties properties, Environment environment) {
        return SagaSettings.checked(properties, environment);
    }
}
