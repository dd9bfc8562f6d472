package io.backstep.saga.spring;

import io.backstep.saga.store.SagaStore;
import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

/** Makes the store wait for all database initializers. */
final class SagaStoreDetector extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {
    @Override
    protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
        return Set.of(SagaStore.class);
    }
}
