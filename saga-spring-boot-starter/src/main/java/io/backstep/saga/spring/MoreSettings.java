package io.backstep.saga.spring;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.messaging.RelaySettings;
import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.spring.admin.AdminSettings;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** What operators set, checked. Where something is wrong the default stands in, so that the rest is checked, too. */
final class MoreSettings {
    private static final RetentionPolicy FOR_EVER = new RetentionPolicy(Map.of(), Duration.ofHours(1), 1000);
    private static final AdminSettings.Roles NO_ROLES = new AdminSettings.Roles(List.of(), List.of(), List.of());

    private MoreSettings() {}

    static @Nullable RetentionPolicy retention(SagaProperties.Retention retention, Faults faults) {
        atLeast("saga.retention.guard", Duration.ofMinutes(1), retention.guard(), faults);
        Map<SagaStatus, Duration> ages = new EnumMap<>(SagaStatus.class);
        age(ages, SagaStatus.COMPLETED, retention.completed(), faults);
        age(ages, SagaStatus.COMPENSATED, retention.compensated(), faults);
        age(ages, SagaStatus.FORCE_COMPLETED, retention.forceCompleted(), faults);
        Duration interval = retention.interval();
        int batch = retention.batchSize();
        RetentionPolicy paced = faults.attempt(() -> new RetentionPolicy(Map.of(), interval, FOR_EVER.batch()));
        RetentionPolicy cut = faults.attempt(() -> new RetentionPolicy(Map.of(), FOR_EVER.interval(), batch));
        return paced == null || cut == null ? null : new RetentionPolicy(ages, interval, batch);
    }

    private static void age(Map<SagaStatus, Duration> ages, SagaStatus status, @Nullable Duration age, Faults faults) {
        if (age != null
                && faults.attempt(() -> new RetentionPolicy(Map.of(status, age), FOR_EVER.interval(), FOR_EVER.batch()))
                        != null) {
            ages.put(status, age);
        }
    }

    static @Nullable AdminSettings admin(SagaProperties.Admin admin, Environment environment, Faults faults) {
        AdminSettings.Roles roles = faults.attempt(() -> new AdminSettings.Roles(
                admin.roles().viewer(), admin.roles().operator(), admin.roles().admin()));
        return faults.attempt(() -> new AdminSettings(
                        admin.basePath(),
                        admin.requireIfMatch(),
                        admin.dangerouslyOpenToAnyone(),
                        roles == null ? NO_ROLES : roles)
                .apartFrom(managementPath(environment)));
    }

    static IdempotencyHandler.Settings idempotency(SagaProperties.Idempotency idempotency, Faults faults) {
        if (!idempotency.required().isEmpty() && !idempotency.filter()) {
            faults.add(
                    "SAGA-CFG-005", "saga.idempotency.required names paths, but saga.idempotency.filter is not true");
        }
        try {
            return new IdempotencyHandler.Settings(
                    idempotency.timeToLive(), idempotency.limit(), idempotency.patience());
        } catch (IllegalArgumentException e) {
            faults.add("SAGA-CFG-005", "saga.idempotency has " + e.getMessage());
            return IdempotencyHandler.Settings.DEFAULT;
        }
    }

    static RelaySettings relay(SagaProperties.Outbox outbox, Faults faults) {
        try {
            Retry retry = Retry.exponential(outbox.retryDelay())
                    .maxDelay(outbox.maxRetryDelay())
                    .maxAttempts(outbox.maxAttempts());
            return new RelaySettings(
                    outbox.pollInterval(),
                    outbox.lease(),
                    outbox.sendTimeout(),
                    outbox.batchSize(),
                    outbox.lanes(),
                    retry);
        } catch (SagaDefinitionException e) {
            faults.add("SAGA-CFG-005", "saga.outbox: " + withoutCode(e));
        } catch (SagaConfigurationException e) {
            faults.add(e.code(), withoutCode(e));
        }
        return RelaySettings.DEFAULT;
    }

    private static String withoutCode(SagaException fault) {
        return String.valueOf(fault.getMessage()).substring(fault.code().length() + 2);
    }

    static void checkReservations(SagaProperties.Reservations reservations, Faults faults) {
        atLeast("saga.reservations.sweep-interval", Duration.ofSeconds(1), reservations.sweepInterval(), faults);
    }

    private static void atLeast(String property, Duration least, @Nullable Duration value, Faults faults) {
        if (value != null && value.compareTo(least) < 0) {
            faults.add("SAGA-CFG-005", property + " is " + value + "; allowed is " + least + " or more, or nothing");
        }
    }

    /** Null when the management endpoints are on a port of their own. */
    private static @Nullable String managementPath(Environment environment) {
        return environment.containsProperty("management.server.port")
                ? null
                : environment.getProperty("management.endpoints.web.base-path");
    }
}
