package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SagaListener;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.spring.Kinds.Kind;
import io.backstep.saga.spring.Kinds.Work;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A start in a transaction of every kind, and in every callback of one: after the commit once, after a rollback never. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TransactionalStartContract {
    static final SagaType<String> NOTE = SagaType.named("note", String.class);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final List<UUID> CALLED = new CopyOnWriteArrayList<>();
    private static final List<UUID> STARTED = new CopyOnWriteArrayList<>();

    enum Hook {
        BEFORE_COMMIT,
        BEFORE_COMPLETION,
        AFTER_COMMIT,
        AFTER_COMPLETION
    }

    ConfigurableApplicationContext context;
    SagaClient sagas;
    TransactionTemplate caller;
    private TransactionTemplate outside;
    private JdbcTemplate jdbc;
    private Kinds kinds;

    /** Starts the application. */
    abstract ConfigurableApplicationContext application(TestPostgres.Db database);

    /** Whether NESTED works inside a transaction: not with JPA. */
    boolean hasSavepoints() {
        return true;
    }

    @BeforeAll
    void start() {
        context = application(TestPostgres.fresh());
        sagas = context.getBean(SagaClient.class);
        kinds = context.getBean(Kinds.class);
        jdbc = context.getBean(JdbcTemplate.class);
        PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
        caller = new TransactionTemplate(manager);
        outside = new TransactionTemplate(manager);
        outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        caller.executeWithoutResult(status -> jdbc.execute("create table noted (id uuid primary key)"));
    }

    @AfterAll
    void stop() {
        context.close();
    }

    // F080, F079
    @ParameterizedTest
    @CsvSource({
        // alone, alone and throws, outer commits, outer commits but inner throws, outer rolls back
        "REQUIRED,      runs, gone, runs, gone, gone",
        "REQUIRES_NEW,  runs, gone, runs, gone, runs",
        "NESTED,        runs, gone, runs, gone, gone",
        "SUPPORTS,      runs, runs, runs, gone, gone",
        "NOT_SUPPORTED, runs, runs, runs, runs, runs",
        "MANDATORY,     gone, gone, runs, gone, gone",
        "NEVER,         runs, runs, gone, gone, gone"
    })
    void propagation(String name, String alone, String throwing, String within, String caught, String rolledBack) {
        Kind kind = work -> Kinds.PROPAGATIONS.get(name).run(kinds, work);
        boolean refused = name.equals("NESTED") && !hasSavepoints();

        check(alone, id -> kind.run(() -> start(id)));
        check(throwing, id -> kind.run(() -> startAndThrow(id, new IllegalStateException("inner"))));
        check(refused ? "gone" : within, id -> inTransaction(() -> kind.run(() -> start(id))));
        check(
                caught,
                id -> inTransaction(() ->
                        catchThrowable(() -> kind.run(() -> startAndThrow(id, new IllegalStateException("inner"))))));
        check(refused ? "gone" : rolledBack, id -> inTransactionRolledBack(() -> kind.run(() -> start(id))));
    }

    @Test
    void isolation_timeout_class_interface_and_template() {
        Kinds.OnClass onClass = context.getBean(Kinds.OnClass.class);
        Kinds.OnInterface onInterface = context.getBean(Kinds.OnInterface.class);
        Map<String, Kind> all = Map.ofEntries(
                Map.entry("read uncommitted", kinds::readUncommitted),
                Map.entry("read committed", kinds::readCommitted),
                Map.entry("repeatable read", kinds::repeatableRead),
                Map.entry("serializable", kinds::serializable),
                Map.entry("timeout", kinds::timeout),
                Map.entry("class", onClass::run),
                Map.entry("interface", onInterface::run),
                Map.entry("template", this::inTransaction));

        all.forEach((name, kind) -> {
            check("runs", id -> kind.run(() -> start(id)));
            check("gone", id -> kind.run(() -> startAndThrow(id, new IllegalStateException(name))));
        });
    }

    @Test
    void what_an_exception_does_is_what_the_annotation_says() {
        check("runs", id -> kinds.required(() -> startAndThrow(id, new IOException("checked"))));
        check("gone", id -> kinds.required(() -> startAndThrow(id, new AssertionError("error"))));
        check("gone", id -> kinds.rollbackFor(() -> startAndThrow(id, new IOException("checked"))));
        check("runs", id -> kinds.noRollbackFor(() -> startAndThrow(id, new IllegalStateException("allowed"))));
    }

    // F079
    @Test
    void past_the_proxy_there_is_no_transaction_and_the_saga_has_its_own() {
        check("runs", id -> kinds.itself(() -> start(id)));
        check("runs", id -> kinds.itself(() -> startAndThrow(id, new IllegalStateException("no transaction"))));
        check("runs", id -> inAnotherThread(() -> start(id)));
    }

    // F074
    @Test
    void a_read_only_transaction_is_refused_and_stays_usable() {
        check(
                "gone",
                id -> kinds.readOnly(() -> {
                    assertThatThrownBy(() -> start(id))
                            .isInstanceOf(SagaStartException.class)
                            .hasMessageStartingWith("SAGA-START-008");
                    assertThat(sagas.find(id)).isEmpty();
                    jdbc.queryForList("select * from noted");
                }));
    }

    // F079
    @ParameterizedTest
    @CsvSource({
        // in the callback itself: commit, rollback; through REQUIRED: commit, rollback; through REQUIRES_NEW
        "BEFORE_COMMIT,     runs, gone, runs, gone, runs, gone",
        "BEFORE_COMPLETION, runs, gone, runs, gone, runs, runs",
        "AFTER_COMMIT,      runs, gone, runs, gone, runs, gone",
        "AFTER_COMPLETION,  runs, runs, runs, runs, runs, runs"
    })
    void callbacks(
            Hook hook,
            String commit,
            String rollback,
            String requiredAndCommit,
            String requiredAndRollback,
            String newAndCommit,
            String newAndRollback) {
        check(commit, id -> inTransaction(() -> on(hook, () -> start(id))));
        check(rollback, id -> inTransactionRolledBack(() -> on(hook, () -> start(id))));
        check(requiredAndCommit, id -> inTransaction(() -> on(hook, () -> kinds.required(() -> start(id)))));
        check(
                requiredAndRollback,
                id -> inTransactionRolledBack(() -> on(hook, () -> kinds.required(() -> start(id)))));
        check(newAndCommit, id -> inTransaction(() -> on(hook, () -> kinds.requiresNew(() -> start(id)))));
        check(newAndRollback, id -> inTransactionRolledBack(() -> on(hook, () -> kinds.requiresNew(() -> start(id)))));
    }

    // F079
    @ParameterizedTest
    @EnumSource
    void transactional_event_listeners(TransactionPhase phase) {
        String commit = phase == TransactionPhase.AFTER_ROLLBACK ? "gone" : "runs";
        String rollback = phase == TransactionPhase.AFTER_ROLLBACK || phase == TransactionPhase.AFTER_COMPLETION
                ? "runs"
                : "gone";

        check(commit, id -> inTransaction(() -> publish(phase, () -> start(id))));
        check(rollback, id -> inTransactionRolledBack(() -> publish(phase, () -> start(id))));
        check(commit, id -> inTransaction(() -> publish(phase, () -> kinds.required(() -> start(id)))));
        check(rollback, id -> inTransactionRolledBack(() -> publish(phase, () -> kinds.required(() -> start(id)))));
    }

    // F079
    @ParameterizedTest
    @ValueSource(strings = {"AFTER_COMMIT", "AFTER_COMPLETION"})
    void after_the_end_it_matters_not_what_the_transaction_was(Hook hook) {
        check("runs", id -> kinds.readOnly(() -> on(hook, () -> start(id))));
        check("runs", id -> kinds.serializable(() -> on(hook, () -> start(id))));
        check("runs", id -> inTransaction(() -> on(hook, () -> startAndThrow(id, new IllegalStateException("late")))));
        check(
                "runs",
                id -> inTransaction(() -> {
                    UUID before = start(UUID.randomUUID());
                    on(hook, () -> {
                        kinds.requiresNew(() -> jdbc.queryForList("select * from noted"));
                        assertThat(sagas.find(before)).isPresent();
                        kinds.required(() -> start(id));
                    });
                }));
    }

    @Test
    void a_key_in_an_after_commit_callback_starts_one_saga() {
        String key = UUID.randomUUID().toString();
        List<UUID> ids = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 2; i++) {
            inTransaction(() -> on(
                    Hook.AFTER_COMMIT,
                    () -> ids.add(sagas.start(NOTE, "x", StartOptions.businessKey(key))
                            .sagaId())));
        }

        assertThat(ids).hasSize(2);
        assertThat(ids.get(0)).isEqualTo(ids.get(1));
    }

    /** Also hears nothing of it: F080. */
    @Test
    void a_rollback_to_a_savepoint_takes_the_saga_with_it_and_nothing_else() {
        if (!hasSavepoints()) {
            return;
        }
        check(
                "gone",
                id -> caller.executeWithoutResult(status -> {
                    Object before = status.createSavepoint();
                    start(id);
                    status.rollbackToSavepoint(before);
                }));
        check(
                "runs",
                id -> caller.executeWithoutResult(status -> {
                    start(id);
                    Object after = status.createSavepoint();
                    status.rollbackToSavepoint(after);
                }));
    }

    /** Each request of one thread after a failed start finds nothing of it: no transaction, no key, no id in the log's context. */
    @Test // F014
    void a_start_that_fails_leaves_nothing_on_its_thread() throws Exception {
        Map<String, Kind> all = Map.of(
                "alone",
                Work::run,
                "in a transaction",
                this::inTransaction,
                "in one that goes on",
                work -> inTransaction(() -> catchThrowable(work::run)),
                "after a commit",
                work -> inTransaction(() -> on(Hook.AFTER_COMMIT, work)));
        UUID lost = UUID.randomUUID();
        UUID next = UUID.randomUUID();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        caller.executeWithoutResult(status -> jdbc.execute("alter table saga_instance rename to hidden"));
        try {
            for (String name : all.keySet()) {
                thread.submit(() -> catchThrowable(() -> all.get(name).run(() -> {
                            failures.add(catchThrowable(() ->
                                    sagas.start(NOTE, "x", StartOptions.none().sagaId(lost))));
                            throw new IllegalStateException(failures.get(failures.size() - 1));
                        })))
                        .get();
                thread.submit(() -> nothingIsLeft(name)).get();
            }
        } finally {
            caller.executeWithoutResult(status -> jdbc.execute("alter table hidden rename to saga_instance"));
        }
        assertThat(failures).hasSize(all.size()).doesNotContainNull();
        await().atMost(LONG)
                .ignoreExceptions()
                .until(() -> thread.submit(
                                () -> sagas.start(NOTE, "x", StartOptions.none().sagaId(next))
                                        .sagaId()
                                        .equals(next))
                        .get());
        thread.shutdown();

        assertThat(sagas.await(next, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(sagas.find(lost)).isEmpty();
    }

    private void nothingIsLeft(String name) {
        assertThat(MDC.getCopyOfContextMap()).as(name).isNullOrEmpty();
        assertThat(TransactionSynchronizationManager.isSynchronizationActive())
                .as(name)
                .isFalse();
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .as(name)
                .isFalse();
        assertThat(TransactionSynchronizationManager.getResourceMap()).as(name).isEmpty();
        assertThat(context.getBean(SpringTransactions.class).isActive())
                .as(name)
                .isFalse();
        assertThat(jdbc.queryForObject("select pg_current_xact_id_if_assigned()::text", String.class))
                .as(name)
                .isNull();
    }

    private static void soon(Callable<Boolean> condition) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .atMost(LONG)
                .until(condition);
    }

    private interface Scenario {
        void run(UUID id) throws Exception;
    }

    private void check(String expected, Scenario scenario) {
        UUID id = UUID.randomUUID();
        Throwable thrown = catchThrowable(() -> scenario.run(id));

        if (thrown instanceof AssertionError failed && !"error".equals(failed.getMessage())) {
            throw failed;
        }
        if (expected.equals("runs")) {
            assertThat(sagas.find(id)).as("after %s", thrown).isPresent();
            assertThat(sagas.await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
            soon(() -> STARTED.contains(id));
        } else {
            assertThat(sagas.find(id)).as("after %s", thrown).isEmpty();
        }
        letTheEngineWork();
        int once = expected.equals("runs") ? 1 : 0;
        assertThat(Collections.frequency(CALLED, id)).as("calls").isEqualTo(once);
        assertThat(Collections.frequency(STARTED, id)).as("listener").isEqualTo(once);
    }

    /** In a transaction it writes a row as well, which must share the saga's fate, and waits: nothing may be called before the end. */
    private UUID start(UUID id) {
        boolean within = TransactionSynchronizationManager.isSynchronizationActive()
                && context.getBean(SpringTransactions.class).isActive();
        sagas.start(NOTE, "x", StartOptions.none().sagaId(id));
        assertThat(sagas.find(id)).isPresent();
        if (within) {
            jdbc.update("insert into noted values (?)", id);
            outside.executeWithoutResult(status -> letTheEngineWork());
            assertThat(CALLED).doesNotContain(id);
        }
        return id;
    }

    private void startAndThrow(UUID id, Throwable failure) throws Exception {
        start(id);
        if (failure instanceof Error error) {
            throw error;
        }
        throw (Exception) failure;
    }

    private void letTheEngineWork() {
        SagaInstance other = sagas.start(NOTE, "y");
        assertThat(sagas.await(other.sagaId(), LONG).status()).isEqualTo(SagaStatus.COMPLETED);
        soon(() -> STARTED.contains(other.sagaId()));
    }

    void inTransaction(Work work) {
        caller.executeWithoutResult(status -> run(work));
    }

    private void inTransactionRolledBack(Work work) {
        caller.executeWithoutResult(status -> {
            status.setRollbackOnly();
            run(work);
        });
    }

    private static void run(Work work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void inAnotherThread(Work work) throws Exception {
        Thread thread = new Thread(() -> run(work));
        thread.start();
        thread.join();
    }

    private void publish(TransactionPhase phase, Work work) {
        context.publishEvent(new Kinds.Event(phase, work));
    }

    private static void on(Hook hook, Work work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                now(Hook.BEFORE_COMMIT);
            }

            @Override
            public void beforeCompletion() {
                now(Hook.BEFORE_COMPLETION);
            }

            @Override
            public void afterCommit() {
                now(Hook.AFTER_COMMIT);
            }

            @Override
            public void afterCompletion(int status) {
                now(Hook.AFTER_COMPLETION);
            }

            private void now(Hook now) {
                if (now == hook) {
                    run(work);
                }
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        SagaDefinition<String> note() {
            return Saga.define(NOTE)
                    .step("note")
                    .action(c -> CALLED.add(c.sagaId()))
                    .noCompensation("only notes")
                    .build();
        }

        @Bean
        SagaListener listener() {
            return new SagaListener() {
                @Override
                public void started(SagaInstance saga) {
                    STARTED.add(saga.sagaId());
                }
            };
        }

        @Bean
        Kinds kinds() {
            return new Kinds();
        }

        @Bean
        Kinds.OnClass onClass() {
            return new Kinds.OnClass();
        }

        @Bean
        Kinds.OnInterface onInterface() {
            return new Kinds.Implementation();
        }

        @Bean
        Kinds.Phases phases() {
            return new Kinds.Phases();
        }
    }
}
