package io.backstep.saga.spring;

import io.backstep.saga.spring.admin.AdminSettings;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The checked properties. Not bound by Spring Boot itself, which would stop at the first value that it cannot convert. */
@Configuration(proxyBeanMethods = false)
class SagaSettingsConfiguration {
    @Bean
    SagaSettings sagaSettings(Environment environment, ListableBeanFactory beans) {
        return SagaSettings.checked(environment, beans);
    }

    /** Stopped by {@link SagaLifecycle}, before the engine. */
    @Bean
    FirstContact sagaFirstContact(SagaSettings settings) {
        return new FirstContact(settings.properties().startWithoutDatabase());
    }

    @Bean
    AdminSettings sagaAdminSettings(SagaSettings settings) {
        return settings.admin();
    }
}
