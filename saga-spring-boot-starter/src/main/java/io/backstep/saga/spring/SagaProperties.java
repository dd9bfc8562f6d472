package io.backstep.saga.spring;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the saga engine.
 *
 * @param enabled Whether sagas are set up at all.
 * @param nodeId Names this node in owners, history and logs: 1 to 100 of A-Z a-z 0-9 . _ -. Two nodes may share one. By default the host name with four random characters.
 * @param workerThreads How many attempts run at once, at least 1.
 * @param lease How long a saga stays a node's after the node was last heard of, 2 s to 1 h. What a crashed node held is taken over after this time.
 * @param pollInterval How often due sagas are looked for, 10 ms to 1 h.
 * @param batchSize How many sagas are taken at once, 1 to 1000.
 * @param shutdownGrace How long running attempts may go on when the application stops, up to 1 h.
 * @param abandonAfter How long after its timeout an attempt is still waited for, up to 1 d.
 * @param maxInFlight How many sagas this node has in memory before whoever starts one more waits, at least 1.
 * @param startTimeout How long they wait for others to end before they are refused, up to 1 h.
 * @param datasource Name of the DataSource bean that holds the sagas. Needed when there are several and none is primary.
 * @param transactionManager Name of the transaction manager bean that belongs to the DataSource. Needed when it cannot be told.
 * @param startWithoutDatabase Whether the application starts while the database is away. Sagas then run as soon as it answers. Otherwise its start fails.
 * @param schema Tables.
 * @param journal How writes are grouped.
 * @param notifications Hints among nodes, on PostgreSQL.
 * @param metrics Meters.
 * @param retention How long sagas that have ended are kept.
 * @param admin The REST API for operators.
 * @param idempotency Requests that are made under a key.
 * @param reservations Stock that is reserved by try, confirm and cancel.
 * @param outbox Messages that leave when their transaction is committed.
 */
@ConfigurationProperties("saga")
record SagaProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String nodeId,
        @DefaultValue("16") int workerThreads,
        @DefaultValue("10s") Duration lease,
        @DefaultValue("1s") Duration pollInterval,
        @DefaultValue("50") int batchSize,
        @DefaultValue("30s") Duration shutdownGrace,
        @DefaultValue("60s") Duration abandonAfter,
        @DefaultValue("10000") int maxInFlight,
        @DefaultValue("10s") Duration startTimeout,
        @Nullable String datasource,
        @Nullable String transactionManager,
        @DefaultValue("false") boolean startWithoutDatabase,
        @DefaultValue Schema schema,
        @DefaultValue Journal journal,
        @DefaultValue Notifications notifications,
        @DefaultValue Metrics metrics,
        @DefaultValue Retention retention,
        @DefaultValue Admin admin,
        @DefaultValue Idempotency idempotency,
        @DefaultValue Reservations reservations,
        @DefaultValue Outbox outbox) {

    /**
     * Tables.
     *
     * @param migrate Whether the tables are created and migrated at start-up. Otherwise they are only checked.
     * @param tablePrefix What the names of all tables start with.
     * @param name Schema of the tables, by default the connection's own.
     * @param lockTimeout How long a migration of another node is waited for at start-up, 1 s to 1 h.
     */
    record Schema(
            @DefaultValue("true") boolean migrate,
            @DefaultValue("saga_") String tablePrefix,
            @Nullable String name,
            @DefaultValue("1m") Duration lockTimeout) {}

    /**
     * How writes are grouped.
     *
     * @param maxBatch How many writes go into one commit at most, 1 to 1000.
     * @param writers How many commits of progress and starts are under way at once, and as many of starts with a key or id of yours, 1 to 16.
     */
    record Journal(
            @DefaultValue("128") int maxBatch,
            @DefaultValue("1") int writers) {}

    /**
     * Hints among nodes, on PostgreSQL.
     *
     * @param enabled Whether a node tells others of what there is for them to do, and listens to them, by NOTIFY and LISTEN. It keeps one connection for that. Otherwise they find it at their next poll.
     * @param datasource Name of the DataSource bean that the connection comes from, by default that of the sagas. Not one through a pooler in transaction mode.
     */
    record Notifications(
            @DefaultValue("false") boolean enabled,
            @Nullable String datasource) {}

    /**
     * Meters.
     *
     * @param enabled Whether meters are registered, if Micrometer is there.
     * @param durationBuckets Upper bounds of the histogram saga.duration.
     */
    record Metrics(
            @DefaultValue("true") boolean enabled,

            @DefaultValue({
                "10ms", "25ms", "50ms", "100ms", "250ms", "500ms", "1s", "2500ms", "5s", "10s", "30s", "1m", "5m",
                "15m", "1h", "6h", "1d", "7d"
            })
            List<Duration> durationBuckets) {}

    /**
     * How long sagas that have ended are kept, and what the participant guard knows.
     *
     * @param completed How long COMPLETED sagas are kept, at least 1m. For ever when empty.
     * @param compensated How long COMPENSATED sagas are kept, at least 1m. For ever when empty.
     * @param forceCompleted How long FORCE_COMPLETED sagas are kept, at least 1m. For ever when empty.
     * @param guard How long the participant guard knows an operation after its last change, at least 1m; longer than a saga can live. For ever when empty.
     * @param interval How long to wait between two passes through the table, at least 1s.
     * @param batchSize How many rows one transaction looks at, 1 to 10000.
     */
    record Retention(
            @Nullable Duration completed,
            @Nullable Duration compensated,
            @Nullable Duration forceCompleted,
            @Nullable Duration guard,
            @DefaultValue("1h") Duration interval,
            @DefaultValue("1000") int batchSize) {}

    /**
     * Requests that are made under a key.
     *
     * @param filter Whether requests by POST and PATCH with an Idempotency-Key header are answered once, if there is a servlet container.
     * @param required Paths, as patterns such as /orders/**, where a request by POST or PATCH is refused without an Idempotency-Key, if the filter is on.
     * @param timeToLive How long an answer is kept, at least as long as the limit.
     * @param limit How long a request may take before another with its key takes it over, more than zero.
     * @param patience How long a request waits for another with its key.
     * @param redis Whether the answers are in Redis. Otherwise they are in a table beside the sagas.
     */
    record Idempotency(
            @DefaultValue("false") boolean filter,
            @DefaultValue List<String> required,
            @DefaultValue("1d") Duration timeToLive,
            @DefaultValue("1m") Duration limit,
            @DefaultValue("10s") Duration patience,
            @DefaultValue("false") boolean redis) {}

    /**
     * Stock that is reserved by try, confirm and cancel.
     *
     * @param sweepInterval How long to wait between two looks for reservations that have expired, at least 1s. Nobody looks when empty.
     */
    record Reservations(@Nullable Duration sweepInterval) {}

    /**
     * Messages that leave when their transaction is committed.
     *
     * @param relay Whether this node sends messages, if there is a MessageBroker bean.
     * @param pollInterval How often messages are looked for that this node was not told of, 10 ms to 1 h.
     * @param lease How long the messages of a node that died may wait before another sends them, 1 s to 1 h.
     * @param sendTimeout How long the broker may take to confirm a message, at most a third of the lease.
     * @param batchSize How many messages of a lane are read at once, 1 to 10000.
     * @param lanes How many of the 16 lanes this node sends from at once.
     * @param maxAttempts How often a message is sent in vain before it waits for a person, 1 to 1000000.
     * @param retryDelay How long after its first failure a message is sent again, doubled each time.
     * @param maxRetryDelay How far apart attempts are at most.
     * @param retention How long messages are kept after they were sent. For ever when negative.
     */
    record Outbox(
            @DefaultValue("true") boolean relay,
            @DefaultValue("500ms") Duration pollInterval,
            @DefaultValue("30s") Duration lease,
            @DefaultValue("10s") Duration sendTimeout,
            @DefaultValue("500") int batchSize,
            @DefaultValue("4") int lanes,
            @DefaultValue("50") int maxAttempts,
            @DefaultValue("1s") Duration retryDelay,
            @DefaultValue("5m") Duration maxRetryDelay,
            @DefaultValue("7d") Duration retention) {}

    /**
     * The REST API for operators.
     *
     * @param enabled Whether it is there. Refused when nothing says who may use it.
     * @param basePath Where it is, below the context path; not at or below /actuator or /health.
     * @param requireIfMatch Whether each action must name, by If-Match, the version that the operator has seen.
     * @param dangerouslyOpenToAnyone Whether anybody who reaches it may do everything, when nothing says who may use it.
     * @param roles Who may do what, unless there is a SagaAdminAuthorizer bean.
     */
    record Admin(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("/admin/sagas") String basePath,
            @DefaultValue("false") boolean requireIfMatch,
            @DefaultValue("false") boolean dangerouslyOpenToAnyone,
            @DefaultValue Roles roles) {

        /**
         * Who may do what, unless there is a SagaAdminAuthorizer bean.
         *
         * @param viewer Roles or authorities that may look.
         * @param operator Those that may act, too.
         * @param admin Those that may see payloads, too.
         */
        record Roles(
                @DefaultValue("SAGA_VIEWER") List<String> viewer,
                @DefaultValue("SAGA_OPERATOR") List<String> operator,
                @DefaultValue("SAGA_ADMIN") List<String> admin) {}
    }
}
