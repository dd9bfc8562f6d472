package io.backstep.saga.spring.admin;

import io.backstep.saga.admin.SagaAdmin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Says in one line why there is no REST API although it is switched on. */
@AutoConfiguration(
        after = SagaAdminWebAutoConfiguration.class,
        afterName = "io.backstep.saga.spring.SagaAutoConfiguration")
@ConditionalOnBooleanProperty("saga.admin.enabled")
@ConditionalOnBean(SagaAdmin.class)
@ConditionalOnMissingBean(name = "sagaAdminServlet")
class SagaAdminNoWebAutoConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(SagaAdminNoWebAutoConfiguration.class);

    @Bean
    SmartInitializingSingleton sagaAdminNoWeb() {
        return () -> LOG.info(
                "SAGA-CFG-018: saga.admin.enabled is true, but this is no servlet application: there is no REST API; the SagaAdmin"
                        + " bean can do the same");
    }
}
