package io.backstep.saga.spring;

import io.backstep.saga.AlertListener;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaListener;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;

/**
 * Hands the application's definitions and listeners to the engine once all singletons exist, and starts and stops it with the
 * context: before the web server and message listeners take anything, and after they have stopped, while the connection pool is up.
 */
final class SagaLifecycle implements SmartInitializingSingleton, SmartLifecycle, DisposableBean {
    /** Below the web server (DEFAULT_PHASE - 2048); a higher phase starts later and stops earlier. */
    static final int PHASE = DEFAULT_PHASE - 4096;

    /** SpringApplication registers it before the refresh; without it nobody will say that the application is ready. */
    private static final String SPRING_APPLICATION = "springApplicationArguments";

    private final ListableBeanFactory beans;
    private final SagaEngine engine;
    private final CollectedListeners listeners;
    private final ReadyGate gate;
    private final FirstContact contact;
    private final @Nullable ConnectionCheck check;
    private volatile boolean running;

    SagaLifecycle(
            ListableBeanFactory beans,
            SagaEngine engine,
            CollectedListeners listeners,
            ReadyGate gate,
            FirstContact contact,
            @Nullable ConnectionCheck check) {
        this.beans = beans;
        this.engine = engine;
        this.listeners = listeners;
        this.gate = gate;
        this.contact = contact;
        this.check = check;
    }

    @Override
    public void afterSingletonsInstantiated() {
        listeners.are(all(SagaListener.class), all(AlertListener.class));
        List<SagaDefinition<?>> definitions = Definitions.of(beans);
        if (check != null) {
            check.manager();
            contact.need(check::connection);
            check.poolFor(definitions);
        }
        definitions.forEach(engine::register);
        all(SagaMigration.class).forEach(engine::register);
    }

    private <T> List<T> all(Class<T> type) {
        return beans.getBeanProvider(type).orderedStream().toList();
    }

    @Override
    public void start() {
        gate.waitFromNow();
        contact.need(engine::start);
        contact.goOn();
        running = true;
        if (!beans.containsBean(SPRING_APPLICATION)) {
            gate.open();
        }
    }

    @Override
    public void stop() {
        running = false;
        contact.stop();
        engine.close();
    }

    /** A context whose start has failed need not have stopped it. */
    @Override
    public void destroy() {
        stop();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** An engine that was closed does not start again, so a context that is paused between tests keeps it. */
    @Override
    public boolean isPauseable() {
        return false;
    }
}
