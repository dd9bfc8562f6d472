package io.backstep.saga.spring;

import io.backstep.saga.Alert;
import io.backstep.saga.AlertListener;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SagaListener;
import io.backstep.saga.engine.SignalOutcome;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener beans, for an engine that is made before them: they may need the SagaClient, and so the engine. Not a listener itself,
 * lest the application finds it among its own.
 */
final class CollectedListeners {
    private static final Logger LOG = LoggerFactory.getLogger(CollectedListeners.class);

    private final Everyone everyone = new Everyone();
    private volatile List<SagaListener> listeners = List.of();
    private volatile List<AlertListener> alerts = List.of();

    /**
     * Says who they are.
     *
     * @param sagaListeners in the order in which they are told
     * @param alertListeners in the order in which they are told
     */
    void are(List<SagaListener> sagaListeners, List<AlertListener> alertListeners) {
        listeners = List.copyOf(sagaListeners);
        alerts = List.copyOf(alertListeners);
    }

    SagaListener sagaListener() {
        return everyone;
    }

    AlertListener alertListener() {
        return everyone;
    }

    private static <L> void tell(List<L> all, Consumer<L> event) {
        for (L listener : all) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                LOG.warn(
                        "{} failed; the saga and the other listeners go on",
                        listener.getClass().getName(),
                        e);
            }
        }
    }

    private final class Everyone implements SagaListener, AlertListener {
        @Override
        public void started(SagaInstance saga) {
            tell(listeners, listener -> listener.started(saga));
        }

        @Override
        public void attemptEnded(SagaInstance saga, Attempt attempt) {
            tell(listeners, listener -> listener.attemptEnded(saga, attempt));
        }

        @Override
        public void statusChanged(SagaInstance saga, SagaStatus before, Duration age) {
            tell(listeners, listener -> listener.statusChanged(saga, before, age));
        }

        @Override
        public void compensationEnded(SagaInstance saga, String step, boolean succeeded, int retries) {
            tell(listeners, listener -> listener.compensationEnded(saga, step, succeeded, retries));
        }

        @Override
        public void signalled(@Nullable String sagaName, String step, SignalOutcome outcome) {
            tell(listeners, listener -> listener.signalled(sagaName, step, outcome));
        }

        @Override
        public void leaseLost(SagaInstance saga) {
            tell(listeners, listener -> listener.leaseLost(saga));
        }

        @Override
        public void onAlert(Alert alert) {
            tell(alerts, listener -> listener.onAlert(alert));
        }
    }
}
