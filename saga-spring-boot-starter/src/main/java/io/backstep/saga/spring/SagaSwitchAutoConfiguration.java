package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.env.Environment;

/** Refuses a switch that is neither on nor off: to conditions such a value means off, and nobody would be told. */
@AutoConfiguration
class SagaSwitchAutoConfiguration {
    SagaSwitchAutoConfiguration(Environment environment) {
        String value = environment.getProperty("saga.enabled", "true").strip();
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw new SagaConfigurationException(
                    "SAGA-CFG-007", "saga.enabled is " + Shown.quoted(value) + "; allowed is true or false");
        }
    }
}
