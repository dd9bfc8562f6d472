package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows a start-up that we refused as one message instead of a stack trace. */
final class SagaFailureAnalyzer extends AbstractFailureAnalyzer<SagaException> {
    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, SagaException cause) {
        boolean ours = cause instanceof SagaConfigurationException || cause instanceof SagaDefinitionException;
        return ours ? new FailureAnalysis(cause.getMessage(), "Change it as the message says.", rootFailure) : null;
    }
}
