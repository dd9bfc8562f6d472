package io.backstep.saga.engine;

import io.backstep.saga.Alert;
import io.backstep.saga.AlertListener;
import io.backstep.saga.Outcome;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Shown;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.StepDefinition;
import io.backstep.saga.state.SagaState;
import io.backstep.saga.state.StepState;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners, alerts and the log what was recorded. Whatever a listener throws is logged and goes no further. */
final class Notifier {
    private static final Logger log = LoggerFactory.getLogger("io.backstep.saga");

    /** How much of an error text a log line has: somebody else wrote it. */
    private static final int LONGEST_ERROR = 1000;

    private final Views views;
    private final boolean secret;
    private final List<SagaListener> listeners;
    private final List<AlertListener> alertListeners;

    /** Secret is what errors say: it stands in the history, where it is encoded. */
    Notifier(Views views, boolean secret, List<SagaListener> listeners, List<AlertListener> alertListeners) {
        this.views = views;
        this.secret = secret;
        this.listeners = List.copyOf(listeners);
        this.alertListeners = List.copyOf(alertListeners);
    }

    void started(SagaInstance saga) {
        tell(listeners, listener -> listener.started(saga));
    }

    void recorded(Instance instance, SagaState before, SagaState after, List<AttemptEnd> ends, Duration age) {
        SagaInstance view = views.of(instance, after);
        for (AttemptEnd end : ends) {
            attemptEnded(instance, view, after, end, age);
            if (end.child() != null) {
                started(views.started(end.child()));
            }
        }
        for (int i = 0; after.turned() != null && i < after.steps().size(); i++) {
            compensation(instance, view, before.steps().get(i), after.steps().get(i), i);
        }
        if (before.status() != after.status()) {
            statusChanged(instance, view, before.status(), after, age);
        }
    }

    void signalled(@Nullable String sagaName, String step, SignalOutcome outcome) {
        tell(listeners, listener -> listener.signalled(sagaName, step, outcome));
    }

    /** Signals whose senders were told otherwise; null for sagas of a type that this node does not know. */
    void late(@Nullable String name, List<Mail> letters) {
        for (Mail letter : letters) {
            if (letter.kind() == Mail.Kind.SIGNAL && letter.answer() != null) {
                signalled(name, letter.answer().step(), SignalOutcome.TOO_LATE);
            }
        }
    }

    void lost(Instance instance, SagaState last) {
        SagaInstance view = views.of(instance, last);
        tell(listeners, listener -> listener.leaseLost(view));
    }

    private void attemptEnded(Instance instance, SagaInstance view, SagaState after, AttemptEnd end, Duration age) {
        StepDefinition step = step(instance, end.call().step());
        ErrorText error = end.error();
        if (error != null && end.outcome() != Outcome.REJECTED) {
            log.warn(
                    "saga {} {}: {} step {}: {} of attempt {} {}: {}",
                    instance.sagaId(),
                    instance.registered().definition(),
                    end.call().phase().name().toLowerCase(Locale.ROOT) + " of",
                    step.name(),
                    end.recorded(),
                    end.call().attempt(),
                    end.recorded() == Outcome.SUCCEEDED
                            ? "(done, but its result cannot be kept)"
                            : next(after.steps().get(end.call().step()), age),
                    secret ? error.code() : Shown.line(error.text(), LONGEST_ERROR));
        }
        SagaListener.Attempt attempt = new SagaListener.Attempt(
                step.name(),
                end.call().phase(),
                end.call().attempt(),
                end.recorded(),
                end.duration(),
                error == null ? null : error.code());
        tell(listeners, listener -> listener.attemptEnded(view, attempt));
    }

    private static String next(StepState step, Duration age) {
        Duration at = step.notBefore();
        return at == null
                ? "(now " + step.status() + ")"
                : "(attempt " + step.attempt() + " in "
                        + Math.max(0, at.minus(age).toMillis()) + " ms)";
    }

    private void compensation(Instance instance, SagaInstance view, StepState before, StepState after, int index) {
        if (before.status() == after.status()) {
            return;
        }
        String step = step(instance, index).name();
        boolean done = after.status() == StepStatus.COMPENSATED;
        boolean failed = after.status() == StepStatus.COMPENSATION_FAILED;
        if (done || failed) {
            int retries = CompensationLines.retries(after);
            tell(listeners, listener -> listener.compensationEnded(view, step, done, retries));
        }
        if (failed) {
            alert(new Alert(
                    "SAGA-ALERT-002",
                    instance.sagaId(),
                    view.name(),
                    step,
                    null,
                    "the compensation of step " + step + " is spent or was rejected; its effect is not undone"));
        }
    }

    private void statusChanged(Instance instance, SagaInstance view, SagaStatus before, SagaState after, Duration age) {
        log.debug("saga {} {}: {} -> {}", instance.sagaId(), view.name(), before, after.status());
        tell(listeners, listener -> listener.statusChanged(view, before, age));
        if (after.status() == SagaStatus.FAILED) {
            alert(new Alert(
                    "SAGA-ALERT-001",
                    instance.sagaId(),
                    view.name(),
                    null,
                    after.parked(),
                    "parked as " + after.parked() + "; it waits for an operator"));
        }
    }

    void parkedUnread(Claimed claimed, SagaReason reason, String why) {
        InstanceRow row = claimed.row();
        SagaInstance view = views.parked(row, reason);
        tell(listeners, listener -> listener.statusChanged(view, row.status(), claimed.age()));
        alert(new Alert("SAGA-ALERT-001", row.sagaId(), row.name(), null, reason, "parked as " + reason + ": " + why));
    }

    private void alert(Alert alert) {
        log.error("{}: saga {} {}: {}", alert.code(), alert.sagaId(), alert.sagaName(), alert.message());
        tell(alertListeners, listener -> listener.onAlert(alert));
    }

    private static StepDefinition step(Instance instance, int index) {
        return instance.registered().definition().steps().get(index);
    }

    private static <L> void tell(List<L> listeners, Consumer<L> what) {
        for (L listener : listeners) {
            try {
                what.accept(listener);
            } catch (Throwable e) {
                log.error("SAGA-ENGINE-002: a listener failed; the saga goes on", e);
            }
        }
    }
}
