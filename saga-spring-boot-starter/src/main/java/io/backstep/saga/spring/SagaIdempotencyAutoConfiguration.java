package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.jdbc.JdbcIdempotencyStore;
import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.spring.http.IdempotencyFilter;
import jakarta.servlet.Filter;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.OncePerRequestFilter;

/** Requests under a key: the handler, and a filter for those by HTTP. */
@AutoConfiguration(
        after = {SagaStoreAutoConfiguration.class, SagaAutoConfiguration.class, SagaRedisAutoConfiguration.class})
@ConditionalOnBean(DataSourceChoice.class)
class SagaIdempotencyAutoConfiguration {
    /** Behind those of Spring Security, which say whose request it is. */
    private static final int LATE = Ordered.LOWEST_PRECEDENCE - 10;

    @Bean
    @ConditionalOnMissingBean(IdempotencyStore.class)
    IdempotencyStore sagaIdempotencyStore(DataSourceChoice choice, SagaSettings settings) {
        if (settings.properties().idempotency().redis()) {
            throw new SagaConfigurationException(
                    "SAGA-CFG-021",
                    "saga.idempotency.redis is true, but there is no RedisConnectionFactory bean of Spring Data Redis");
        }
        return JdbcIdempotencyStore.create(choice.dataSource(), settings.schema());
    }

    @Bean
    @ConditionalOnMissingBean
    IdempotencyHandler sagaIdempotencyHandler(IdempotencyStore store, SagaSettings settings) {
        return new IdempotencyHandler(store, settings.idempotency());
    }

    @Bean
    @ConditionalOnBean(SagaEngine.class)
    RowRetention sagaIdempotencyRetention(
            IdempotencyStore store, SagaEngine engine, SagaSettings settings, FirstContact contact) {
        return new RowRetention(
                "keys of requests whose time is over", store::purge, engine.operators(), settings.retention(), contact);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("saga.idempotency.filter")
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({Filter.class, OncePerRequestFilter.class})
    static final class Http {
        /** The web server asks for its filters early: what this one needs is made by its first request. */
        @Bean
        @ConditionalOnMissingBean(name = "sagaIdempotencyFilter")
        FilterRegistrationBean<IdempotencyFilter> sagaIdempotencyFilter(
                ObjectProvider<IdempotencyHandler> handler, SagaSettings settings, Environment environment) {
            FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(
                    filter(handler::getObject, environment.getProperty("spring.application.name", ""), settings));
            registration.setName("sagaIdempotency");
            registration.setOrder(LATE);
            return registration;
        }

        /** The API for operators has keys of its own. */
        private static IdempotencyFilter filter(
                Supplier<IdempotencyHandler> handler, String application, SagaSettings settings) {
            List<String> required = settings.properties().idempotency().required();
            List<String> except = List.of(settings.admin().basePath() + "/**");
            try {
                return new IdempotencyFilter(
                        handler,
                        application,
                        required,
                        settings.properties().admin().enabled() ? except : List.of());
            } catch (IllegalArgumentException e) {
                throw new SagaConfigurationException(
                        "SAGA-CFG-005",
                        "saga.idempotency.required is " + Shown.quoted(String.join(", ", required)) + ": "
                                + e.getMessage());
            }
        }
    }
}
