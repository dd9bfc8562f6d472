package io.backstep.saga.spring;

import io.backstep.saga.engine.SagaEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Says in one line why there are no sagas, when nobody has switched them off. */
@AutoConfiguration(after = SagaAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "saga.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(SagaEngine.class)
class SagaBackOffAutoConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(SagaBackOffAutoConfiguration.class);

    @Bean
    SmartInitializingSingleton sagaBackOff(ListableBeanFactory beans) {
        return () -> LOG.warn(
                "SAGA-CFG-001: no sagas are run: {}; saga.enabled=false silences this",
                NoSagas.why(beans).orElse("there are no Transactions for the SagaStore, or no SagaStore for them"));
    }
}
