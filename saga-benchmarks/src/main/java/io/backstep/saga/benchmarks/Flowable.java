package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.flowable.common.engine.api.delegate.event.FlowableEngineEntityEvent;
import org.flowable.common.engine.api.delegate.event.FlowableEngineEventType;
import org.flowable.common.engine.api.delegate.event.FlowableEvent;
import org.flowable.common.engine.api.delegate.event.FlowableEventListener;
import org.flowable.engine.ProcessEngine;
import org.flowable.engine.ProcessEngineConfiguration;
import org.flowable.engine.delegate.BpmnError;
import org.flowable.engine.delegate.JavaDelegate;
import org.flowable.engine.impl.cfg.StandaloneProcessEngineConfiguration;
import tools.jackson.databind.json.JsonMapper;

/**
 * Flowable: a process of asynchronous service tasks, with the executor's defaults; a rejection is a boundary event. It asks for a
 * second connection after each commit, while it has the first: hence its pool is larger, and few clients start at once.
 */
final class Flowable implements Contender {
    private static final String TALLY = """
            select count(*) filter (where end_act_id_ = 'completed'), count(*) filter (where end_act_id_ = 'compensated'),
                count(*) filter (where end_time_ is null)
              from act_hi_procinst
            """;

    private static final int STARTERS = 8;
    private static final int CONNECTIONS = 24;

    private final Server database;
    private final Kind kind;
    private final HikariDataSource pool;
    private final ProcessEngine engine;
    private final Map<String, CompletableFuture<End>> ends = new ConcurrentHashMap<>();
    private final Semaphore starters = new Semaphore(STARTERS);
    private final JsonMapper json = new JsonMapper();

    Flowable(Server database, Kind kind) {
        this.database = database;
        this.kind = kind;
        this.pool = database.pool();
        pool.setMaximumPoolSize(CONNECTIONS);
        StandaloneProcessEngineConfiguration configuration = new StandaloneProcessEngineConfiguration();
        configuration.setDataSource(pool);
        configuration.setDatabaseSchemaUpdate(ProcessEngineConfiguration.DB_SCHEMA_UPDATE_TRUE);
        configuration.setAsyncExecutorActivate(true);
        configuration.setBeans(Map.<Object, Object>of("act", act(false), "confirm", act(kind == Kind.REJECTED)));
        configuration.setTypedEventListeners(
                Map.of(FlowableEngineEventType.PROCESS_COMPLETED.name(), List.of(new Committed())));
        this.engine = configuration.buildProcessEngine();
        engine.getRepositoryService()
                .createDeployment()
                .enableDuplicateFiltering()
                .name("order")
                .addClasspathResource("io/backstep/saga/benchmarks/order.bpmn20.xml")
                .deploy();
    }

    private static JavaDelegate act(boolean rejects) {
        return execution -> {
            if (rejects) {
                throw new BpmnError("rejected");
            }
        };
    }

    /** Told after the commit of a process's last task. */
    private final class Committed implements FlowableEventListener {
        @Override
        public void onEvent(FlowableEvent event) {
            if (event instanceof FlowableEngineEntityEvent ended) {
                of(ended.getProcessInstanceId()).complete(kind.end());
            }
        }

        @Override
        public boolean isFailOnException() {
            return false;
        }

        @Override
        public boolean isFireOnTransactionLifecycleEvent() {
            return true;
        }

        @Override
        public String getOnTransaction() {
            return "COMMITTED";
        }
    }

    @Override
    public CompletableFuture<End> start(Order order) throws InterruptedException {
        CompletableFuture<End> end;
        String id;
        starters.acquire();
        try {
            id = engine.getRuntimeService()
                    .startProcessInstanceByKey("order", Map.of("order", json.writeValueAsString(order)))
                    .getId();
            end = of(id);
        } finally {
            starters.release();
        }
        end.whenComplete((how, failure) -> ends.remove(id));
        return end;
    }

    private CompletableFuture<End> of(String id) {
        return ends.computeIfAbsent(id, any -> new CompletableFuture<>());
    }

    @Override
    public Tally tally() throws SQLException {
        return database.tally(TALLY);
    }

    @Override
    public void close() {
        engine.close();
        pool.close();
    }
}
