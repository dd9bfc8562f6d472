package io.backstep.saga.spring;

import io.backstep.saga.AlertListener;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.jdbc.JdbcConnections;
import io.backstep.saga.jdbc.JdbcOutboxStore;
import io.backstep.saga.messaging.MessageBroker;
import io.backstep.saga.messaging.Outbox;
import io.backstep.saga.messaging.OutboxListener;
import io.backstep.saga.messaging.OutboxRelay;
import io.backstep.saga.messaging.OutboxRelayBuilder;
import io.backstep.saga.messaging.OutboxStore;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The outbox in the sagas' database, and a relay if there is a broker. The outbox needs neither: whoever publishes may also be who the broker
 * hands messages to.
 */
@AutoConfiguration(
        after = SagaAutoConfiguration.class,
        before = {SagaMetricsAutoConfiguration.class, SagaHealthAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "saga.enabled", matchIfMissing = true)
@ConditionalOnBean({JdbcConnections.class, SagaEngine.class, DataSourceChoice.class})
class SagaOutboxAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    OutboxStore sagaOutboxStore(DataSourceChoice choice, JdbcConnections connections, SagaSettings settings) {
        return JdbcOutboxStore.create(choice.dataSource(), connections, settings.schema());
    }

    @Bean
    OutboxWake sagaOutboxWake() {
        return new OutboxWake();
    }

    @Bean
    @ConditionalOnMissingBean
    Outbox sagaOutbox(OutboxStore store, Transactions transactions, OutboxWake wake) {
        return new Outbox(store, transactions).waking(wake);
    }

    @Bean
    StoredMessages sagaStoredMessages(OutboxStore store, SagaEngine engine) {
        return new StoredMessages(store, engine);
    }

    /** Closed by {@link OutboxLifecycle}. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    @ConditionalOnBean(MessageBroker.class)
    @ConditionalOnBooleanProperty(name = "saga.outbox.relay", matchIfMissing = true)
    OutboxRelay sagaOutboxRelay(
            OutboxStore store,
            MessageBroker broker,
            SagaSettings settings,
            OutboxWake wake,
            ObjectProvider<OutboxListener> listeners,
            ObjectProvider<AlertListener> alertListeners) {
        OutboxRelayBuilder builder = OutboxRelay.builder(store, broker)
                .settings(settings.relay())
                .nodeId(settings.tuning().nodeId())
                .listener(new LateListener(listeners))
                .alertListener(alert -> alertListeners.orderedStream().forEach(each -> each.onAlert(alert)));
        OutboxRelay relay = builder.build();
        wake.wakes(relay);
        return relay;
    }

    @Bean
    @ConditionalOnBean(OutboxRelay.class)
    OutboxLifecycle sagaOutboxLifecycle(OutboxRelay relay, FirstContact contact) {
        return new OutboxLifecycle(relay, contact);
    }

    @Bean
    RowRetention sagaOutboxRetention(
            OutboxStore store, SagaEngine engine, SagaSettings settings, FirstContact contact) {
        Duration age = settings.properties().outbox().retention();
        return new RowRetention(
                "messages that were sent",
                limit -> age.isNegative() ? 0 : store.purge(age, limit),
                engine.operators(),
                settings.retention(),
                contact);
    }
}
