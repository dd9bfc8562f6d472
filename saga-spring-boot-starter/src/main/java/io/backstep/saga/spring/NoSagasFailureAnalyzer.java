package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * When a bean wants one of ours and there is none for want of a DataSource, or because the switch is neither on nor off, says that, and
 * not only that it is missing.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class NoSagasFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {
    private static final Set<Class<?>> OURS = Set.of(
            SagaClient.class,
            SagaAdmin.class,
            SagaEngine.class,
            SagaRetention.class,
            SagaStore.class,
            Transactions.class);

    private final BeanFactory beans;
    private final Environment environment;

    NoSagasFailureAnalyzer(BeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        Class<?> wanted = cause.getBeanType();
        SagaConfigurationException neither = SagaSwitchAutoConfiguration.fault(environment);
        if (neither != null && wanted != null && OURS.contains(wanted)) { // the bean came before the check
            return new FailureAnalysis(neither.getMessage(), "Set it to true or false.", rootFailure);
        }
        boolean on = environment.getProperty("saga.enabled", Boolean.class, true);
        if (cause instanceof NoUniqueBeanDefinitionException
                || !on
                || wanted == null
                || !OURS.contains(wanted)
                || !(beans instanceof ListableBeanFactory all)) {
            return null;
        }
        return NoSagas.why(all)
                .map(why -> new FailureAnalysis(
                        "SAGA-CFG-001: no sagas are run, so there is no " + wanted.getSimpleName() + " to inject: "
                                + why,
                        "Configure a DataSource, or name one of several by saga.datasource.",
                        rootFailure))
                .orElse(null);
    }
}
