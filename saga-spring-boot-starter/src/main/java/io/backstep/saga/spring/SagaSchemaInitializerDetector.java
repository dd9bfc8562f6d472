package io.backstep.saga.spring;

import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.core.Ordered;

/**
 * Puts our tables behind the application's Flyway, Liquibase and schema.sql: detected initializers are chained in the order of
 * their detectors, and a Flyway without a baseline refuses a schema that is not empty.
 */
final class SagaSchemaInitializerDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {
    @Override
    protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
        return Set.of(SagaSchemaInitializer.class);
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
