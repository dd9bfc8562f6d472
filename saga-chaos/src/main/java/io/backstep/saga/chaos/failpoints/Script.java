package io.backstep.saga.chaos.failpoints;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.admin.AdminAction;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.chaos.ChaosNode;
import io.backstep.saga.chaos.Done;
import io.backstep.saga.chaos.Notes;
import io.backstep.saga.chaos.Shapes;
import io.backstep.saga.chaos.Sql;
import io.backstep.saga.chaos.Task;
import io.backstep.saga.chaos.Toolbox;
import io.backstep.saga.chaos.failpoints.Scenario.Moment;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What the application does in a case. It repeats what fails, as a client does, and can be run again by another node when the first is
 * gone: every request has its key.
 */
final class Script {
    private static final int MAX_TRIES = 100;
    private static final long PAUSE_MILLIS = 20;
    private static final Duration LONGEST = Duration.ofSeconds(60); // on a busy machine

    private final ChaosNode node;
    private final TestPostgres.Db direct;
    private final Notes acknowledged;
    private final Notes operated;
    private final Consumer<Moment> moments;

    /**
     * Made for a node.
     *
     * @param node who does it
     * @param direct the same database, without harm
     * @param acknowledged where acknowledged starts are noted
     * @param operated where acknowledged requests of operators are noted
     * @param moments told before the start, and so on
     */
    Script(ChaosNode node, TestPostgres.Db direct, Notes acknowledged, Notes operated, Consumer<Moment> moments) {
        this.node = node;
        this.direct = direct;
        this.acknowledged = acknowledged;
        this.operated = operated;
        this.moments = moments;
    }

    /** Returns when the saga has ended. */
    void run(Scenario scenario, String key) throws Exception {
        moments.accept(Moment.BEFORE_START);
        UUID saga = insist(() -> start(scenario, key));
        acknowledged.add(saga + " " + key);
        moments.accept(Moment.STARTED);
        switch (scenario) {
            case CANCELLED -> {
                moments.accept(Moment.BEFORE_REQUEST);
                insist(() -> node.client().cancel(saga, "asked for"));
            }
            case ANSWERED -> {
                awaitNobodys(saga);
                moments.accept(Moment.BEFORE_REQUEST);
                insist(() -> node.client().signal(saga, Toolbox.ANSWER, new Done(key), key));
            }
            case UNDO_STUCK -> {
                awaitStatus(saga, List.of("FAILED", "COMPENSATED"));
                node.far().heal(saga);
                moments.accept(Moment.BEFORE_REQUEST);
                insist(() -> retryCompensation(saga, key));
                operated.add(saga + " " + AdminAction.RETRY_COMPENSATION.code() + " " + key);
            }
            case PURGED -> purge(saga, key);
            default -> {}
        }
        awaitStatus(saga, List.copyOf(scenario.ends()));
    }

    private UUID start(Scenario scenario, String key) throws Exception {
        return switch (scenario) {
            case JOINED ->
                node.transactions()
                        .run(() -> order(scenario, key, node.transactions().connection()));
            case UNSEEN -> unseen(scenario, key);
            default -> startNow(scenario, key).sagaId();
        };
    }

    private SagaInstance startNow(Scenario scenario, String key) {
        return node.client()
                .start(Shapes.type(scenario.shape()), new Task(key.hashCode()), StartOptions.businessKey(key));
    }

    private UUID order(Scenario scenario, String key, Connection connection) throws SQLException {
        UUID saga = startNow(scenario, key).sagaId();
        try (PreparedStatement insert =
                connection.prepareStatement("insert into chaos_order values (?, ?) on conflict do nothing")) {
            insert.setString(1, key);
            insert.setObject(2, saga);
            insert.executeUpdate();
        }
        return saga;
    }

    private UUID unseen(Scenario scenario, String key) throws Exception {
        try (Connection connection = direct.connect()) {
            connection.setAutoCommit(false);
            UUID saga = node.transactions().join(connection, () -> order(scenario, key, connection));
            connection.commit();
            return saga;
        }
    }

    private Object retryCompensation(UUID saga, String key) {
        return SagaAdmin.of(node.engine())
                .act(
                        AdminAction.RETRY_COMPENSATION,
                        saga,
                        AdminRequest.by("failpoints", "mended").withKey(key));
    }

    /** Another saga runs meanwhile, and is not deleted before its end. */
    private void purge(UUID saga, String key) throws Exception {
        awaitStatus(saga, List.of("COMPLETED"));
        UUID other = insist(() -> startNow(Scenario.REJECTED, key + "-other").sagaId());
        acknowledged.add(other + " " + key + "-other");
        moments.accept(Moment.BEFORE_REQUEST);
        while (!status(saga).isEmpty()) {
            insist(() -> node.engine().operators().purge(Map.of(SagaStatus.COMPLETED, Duration.ZERO), null, 1000));
        }
        awaitStatus(other, List.of("COMPENSATED"));
    }

    /** Purged is ended, too. */
    private void awaitStatus(UUID saga, List<String> wanted) throws Exception {
        long end = System.nanoTime() + LONGEST.toNanos();
        List<String> is = status(saga);
        while (!is.isEmpty() && !wanted.contains(is.get(0))) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("saga " + saga + " is " + is.get(0) + " after " + LONGEST);
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            is = status(saga);
        }
    }

    /** It waits, or has ended: by a signal of the node that is gone. */
    private void awaitNobodys(UUID saga) throws Exception {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (!read(saga, "owner is null").contains("t")) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("saga " + saga + " does not wait after " + LONGEST);
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private List<String> status(UUID saga) throws SQLException {
        return read(saga, "status");
    }

    private List<String> read(UUID saga, String what) throws SQLException {
        try (Connection connection = direct.connect()) {
            return Sql.rows(connection, "select " + what + " from saga_instance where saga_id = '" + saga + "'")
                    .stream()
                    .map(row -> row.get(0))
                    .toList();
        }
    }

    static <T> T insist(Callable<T> request) throws Exception {
        for (int tries = 1; ; tries++) {
            try {
                return request.call();
            } catch (RuntimeException | SQLException e) {
                if (tries == MAX_TRIES) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }
}
