package io.backstep.saga.spring;

import io.backstep.saga.admin.RetentionPolicy;
import io.backstep.saga.engine.Tuning;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.messaging.RelaySettings;
import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.spring.admin.AdminSettings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * The properties, checked. Every other bean of ours is made from this one, so that all faults come first and together.
 *
 * @param properties as they were set
 * @param tuning for the engine
 * @param schema for the store
 * @param retention for what is deleted
 * @param admin for the REST API
 * @param idempotency for requests that are made under a key
 * @param relay for the outbox
 */
record SagaSettings(
        SagaProperties properties,
        Tuning tuning,
        SagaSchema.Options schema,
        RetentionPolicy retention,
        AdminSettings admin,
        IdempotencyHandler.Settings idempotency,
        RelaySettings relay) {
    private static final Duration LEAST_LEASE = Duration.ofSeconds(2);
    private static final Duration LEAST_POLL = Duration.ofMillis(10);
    private static final Duration MOST = Duration.ofHours(1);

    /**
     * Checks everything.
     *
     * @param environment where the properties are set
     * @param beans of the application, some of which are named by properties
     * @return what the other beans are made from
     * @throws io.backstep.saga.SagaConfigurationException all faults at once
     */
    static SagaSettings checked(Environment environment, ListableBeanFactory beans) {
        Faults faults = new Faults();
        SagaProperties properties = PropertyBinding.bind(environment, faults);
        new DataSourceChoice(beans, properties).checkNames(faults);
        PropertyNames.unknown(environment).forEach(fault -> faults.add("SAGA-CFG-007", fault));
        checkBuckets(properties.metrics().durationBuckets(), faults);
        Duration lease = inRange("saga.lease", properties.lease(), LEAST_LEASE, faults);
        Duration poll = inRange("saga.poll-interval", properties.pollInterval(), LEAST_POLL, faults);
        checkLockTimeout(properties.schema().lockTimeout(), faults);
        Tuning tuning = faults.attempt(() -> tuning(properties, lease, poll));
        SagaSchema.Options schema = schema(properties.schema(), faults);
        RetentionPolicy retention = MoreSettings.retention(properties.retention(), faults);
        IdempotencyHandler.Settings idempotency = MoreSettings.idempotency(properties.idempotency(), faults);
        MoreSettings.checkReservations(properties.reservations(), faults);
        RelaySettings relay = MoreSettings.relay(properties.outbox(), faults);
        AdminSettings admin = MoreSettings.admin(properties.admin(), environment, faults);
        faults.throwIfAny();
        return new SagaSettings(
                properties,
                Objects.requireNonNull(tuning),
                Objects.requireNonNull(schema),
                Objects.requireNonNull(retention),
                Objects.requireNonNull(admin),
                idempotency,
                relay);
    }

    /** The engine takes less, for tests; a value that it would refuse, too, is told once. */
    private static Duration inRange(String name, Duration value, Duration least, Faults faults) {
        if (value.compareTo(least) >= 0 && value.compareTo(MOST) <= 0) {
            return value;
        }
        faults.add(
                "SAGA-CFG-005",
                name + " is " + value + "; allowed is " + least + " to " + MOST
                        + " (the lease is renewed several times before it ends, and looking for due sagas costs a query each time)");
        return least;
    }

    private static void checkLockTimeout(Duration timeout, Faults faults) {
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(MOST) > 0) {
            faults.add("SAGA-CFG-005", "saga.schema.lock-timeout is " + timeout + "; allowed is PT1S to " + MOST);
        }
    }

    private static void checkBuckets(List<Duration> buckets, Faults faults) {
        if (buckets.stream().anyMatch(bucket -> bucket.isZero() || bucket.isNegative())) {
            faults.add("SAGA-CFG-005", "saga.metrics.duration-buckets is " + buckets + "; allowed is more than zero");
        }
    }

    private static Tuning tuning(SagaProperties properties, Duration lease, Duration poll) {
        String nodeId = properties.nodeId();
        return new Tuning(
                nodeId == null ? NodeName.make() : nodeId,
                properties.workerThreads(),
                lease,
                poll,
                properties.batchSize(),
                properties.shutdownGrace(),
                properties.abandonAfter(),
                properties.journal().maxBatch(),
                properties.journal().writers(),
                properties.maxInFlight(),
                properties.startTimeout());
    }

    /** Both names are checked, also when one is bad. */
    private static SagaSchema.@Nullable Options schema(SagaProperties.Schema schema, Faults faults) {
        SagaSchema.Options prefix = faults.attempt(() -> SagaSchema.Options.of(schema.tablePrefix(), null));
        SagaSchema.Options named =
                faults.attempt(() -> SagaSchema.Options.of(SagaSchema.Options.DEFAULT.tablePrefix(), schema.name()));
        return prefix == null || named == null ? null : SagaSchema.Options.of(schema.tablePrefix(), schema.name());
    }
}
