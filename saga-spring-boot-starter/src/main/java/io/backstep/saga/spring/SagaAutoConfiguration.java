package io.backstep.saga.spring;

import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaRetention;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaEngineBuilder;
import io.backstep.saga.participant.GuardStore;
import io.backstep.saga.serialization.PayloadCodec;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Runs sagas. The engine and its client need neither definitions nor listeners, so that a service can be participant and starter at
 * once; {@link SagaLifecycle} brings those when all singletons exist.
 */
@AutoConfiguration(after = SagaStoreAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "saga.enabled", matchIfMissing = true)
@ConditionalOnBean({SagaStore.class, Transactions.class})
@Import(SagaSettingsConfiguration.class)
class SagaAutoConfiguration {
    @Bean
    ReadyGate sagaReadyGate() {
        return new ReadyGate();
    }

    @Bean
    CollectedListeners sagaCollectedListeners() {
        return new CollectedListeners();
    }

    @Bean
    @ConditionalOnMissingBean
    SagaEngine sagaEngine(
            SagaStore store,
            Transactions transactions,
            SagaSettings settings,
            ReadyGate gate,
            CollectedListeners listeners,
            ObjectProvider<PayloadCodec> codec) {
        SagaEngineBuilder builder = SagaEngine.builder();
        codec.ifAvailable(builder::payloadCodec);
        return builder.store(new ClaimGate(store, gate))
                .transactions(transactions)
                .tuning(settings.tuning())
                .listener(listeners.sagaListener())
                .alertListener(listeners.alertListener())
                .build();
    }

    @Bean
    @ConditionalOnMissingBean
    SagaClient sagaClient(SagaEngine engine, SagaSettings settings, FirstContact contact) {
        return settings.properties().startWithoutDatabase()
                ? new PatientClient(engine.client(), contact)
                : engine.client();
    }

    @Bean
    @ConditionalOnMissingBean
    SagaAdmin sagaAdmin(SagaEngine engine) {
        return SagaAdmin.of(engine);
    }

    /** Closed by {@link RetentionLifecycle}, before the engine. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    SagaRetention sagaRetention(SagaEngine engine, SagaSettings settings) {
        return SagaRetention.of(engine, settings.retention());
    }

    @Bean
    RetentionLifecycle sagaRetentionLifecycle(SagaRetention retention, FirstContact contact) {
        return new RetentionLifecycle(retention, contact);
    }

    /** Of the guard of the sagas' database; participants elsewhere have jobs of their own. */
    @Bean
    @ConditionalOnBean(GuardStore.class)
    RowRetention sagaGuardRetention(
            GuardStore store,
            Transactions transactions,
            SagaEngine engine,
            SagaSettings settings,
            FirstContact contact) {
        Duration age = settings.properties().retention().guard();
        return new RowRetention(
                "old rows of the participant guard",
                limit -> age == null ? 0 : transactions.inTransaction(() -> store.purge(age, limit)),
                engine.operators(),
                settings.retention(),
                contact);
    }

    @Bean
    SagaLifecycle sagaLifecycle(
            ListableBeanFactory beans,
            SagaEngine engine,
            CollectedListeners listeners,
            ReadyGate gate,
            FirstContact contact,
            ObjectProvider<ConnectionCheck> check) {
        return new SagaLifecycle(beans, engine, listeners, gate, contact, check.getIfAvailable());
    }
}
