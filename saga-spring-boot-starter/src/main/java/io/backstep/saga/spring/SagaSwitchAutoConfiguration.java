package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.env.Environment;

/** Refuses a switch that is neither on nor off: to conditions such a value means off, and nobody would be told. */
@AutoConfiguration
class SagaSwitchAutoConfiguration {
    SagaSwitchAutoConfiguration(Environment environment) {
        SagaConfigurationException fault = fault(environment);
        if (fault != null) {
            throw fault;
        }
    }

    static @Nullable SagaConfigurationException fault(Environment environment) {
        String value = environment.getProperty("saga.enabled", "true").strip();
        return value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")
                ? null
                : new SagaConfigurationException(
                        "SAGA-CFG-007", "saga.enabled is " + Shown.quoted(value) + "; allowed is true or false");
    }
}
