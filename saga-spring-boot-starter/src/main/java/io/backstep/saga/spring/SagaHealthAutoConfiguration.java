package io.backstep.saga.spring;

import io.backstep.saga.engine.EngineStatus;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.messaging.OutboxBacklog;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The health of the engine, as {@code saga}. */
@AutoConfiguration(after = SagaAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(SagaEngine.class)
@Import(StoredSagas.class)
class SagaHealthAutoConfiguration {
    /** The annotation of a module that may be absent stands here, not above: all conditions of a class are loaded at once. */
    @Bean
    @ConditionalOnEnabledHealthIndicator("saga")
    @ConditionalOnMissingBean(name = "sagaHealthIndicator")
    HealthIndicator sagaHealthIndicator(
            SagaEngine engine,
            StoredSagas stored,
            ObjectProvider<FirstContact> contacts,
            ObjectProvider<StoredMessages> messages) {
        FirstContact contact = contacts.getIfAvailable();
        return () -> {
            EngineStatus status = contact == null ? engine.status() : contact.status(engine.status());
            return health(status, stored.seen(), seen(messages.getIfAvailable()));
        };
    }

    private static @Nullable OutboxBacklog seen(@Nullable StoredMessages messages) {
        return messages == null ? null : messages.seen();
    }

    /** Sagas that wait for other versions: nothing is wrong with this node, so it stays up. */
    private static Health health(EngineStatus status, StoredSagas.@Nullable Seen seen, @Nullable OutboxBacklog outbox) {
        Health.Builder health = status.running() && status.storeReachable() ? Health.up() : Health.down();
        health.withDetail("running", status.running())
                .withDetail("storeReachable", status.storeReachable())
                .withDetail("held", status.held());
        if (seen != null && !seen.unknown().isEmpty()) {
            health.withDetail("unknownDefinitions", seen.unknown());
        }
        if (seen != null && !seen.oldest().isEmpty()) {
            Map<String, String> ages = new TreeMap<>();
            seen.oldest()
                    .forEach((name, age) ->
                            ages.put(name, age.truncatedTo(ChronoUnit.SECONDS).toString()));
            health.withDetail("oldest", ages);
        }
        if (outbox != null && outbox.waiting() + outbox.failed() > 0) {
            health.withDetail(
                    "outbox",
                    Map.of(
                            "waiting", outbox.waiting(),
                            "failed", outbox.failed(),
                            "oldest",
                                    outbox.oldest()
                                            .truncatedTo(ChronoUnit.SECONDS)
                                            .toString()));
        }
        String failure = status.lastStoreFailure();
        return (failure == null ? health : health.withDetail("lastStoreFailure", failure)).build();
    }
}
