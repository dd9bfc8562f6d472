package io.backstep.saga.chaos;

import io.backstep.saga.SagaException;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SignalOutcome;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.jdbc.JdbcTransactions;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts sagas. Each start that was acknowledged is on the disk before its starter begins another; so is each that was rolled back: of those
 * nothing may be left.
 */
final class Starts {
    private static final Logger log = LoggerFactory.getLogger(Starts.class);
    private static final long SHARED_MICROS = 2_000_000;

    private final NodeOptions options;
    private final ChaosNode node;
    private final Random random;
    private final RealClock clock;
    private final Notes acknowledged;
    private final Notes rolledBack;
    private final Notes signalled;
    private final AtomicLong count = new AtomicLong();
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "cancels-and-answers");
        thread.setDaemon(true);
        return thread;
    });

    Starts(NodeOptions options, ChaosNode node, Random random) throws IOException {
        this.options = options;
        this.node = node;
        this.random = random;
        this.clock = options.clock();
        this.acknowledged = Notes.at(options.file("acknowledged"));
        this.rolledBack = Notes.at(options.file("rolled-back"));
        this.signalled = Notes.at(options.file("signalled"));
    }

    /** One at random: alone, in a transaction that commits or rolls back, or one that other nodes start, too. */
    void startOne() throws Exception {
        String shape = options.shapes().get(random.nextInt(options.shapes().size()));
        String key = options.text("file") + "-" + count.incrementAndGet();
        int way = random.nextInt(100);
        if (way < 10) {
            joined(shape, key + "-joined", true);
        } else if (way < 15) {
            joined(shape, key + "-joined", false);
        } else if (way < 20) {
            start(options.shapes().get(0), "shared-" + clock.nowMicros() / SHARED_MICROS);
        } else {
            SagaInstance saga = start(shape, key);
            if (way < 25) {
                start(shape, key); // the same again
            }
            if (shape.equals(Shapes.CANCELLED)) {
                later.schedule(() -> cancel(saga.sagaId()), random.nextInt(300), TimeUnit.MILLISECONDS);
            }
        }
    }

    private void cancel(UUID sagaId) {
        try {
            node.client().cancel(sagaId, "chaos");
        } catch (SagaException | IllegalStateException e) {
            log.debug("not cancelled", e);
        }
    }

    /** Too early, in time, or too late; again while nobody says what became of it. */
    private void answerSoon(UUID sagaId, String messageId) {
        later.schedule(() -> answer(sagaId, messageId), random.nextInt(700), TimeUnit.MILLISECONDS);
    }

    private void answer(UUID sagaId, String messageId) {
        try {
            SignalOutcome outcome = node.client().signal(sagaId, Toolbox.ANSWER, new Done(messageId), messageId);
            if (outcome != SignalOutcome.TOO_LATE && outcome != SignalOutcome.UNKNOWN_SAGA) {
                signalled.add(sagaId + " " + messageId + " " + clock.nowMicros());
            }
        } catch (SagaException | IllegalStateException | IOException e) {
            log.debug("not answered", e);
            answerSoon(sagaId, messageId);
        }
    }

    SagaInstance start(String shape, String key) throws IOException {
        SagaInstance saga = start(node.client(), shape, key);
        acknowledge(saga, key);
        if (shape.equals(Shapes.ANSWERED) || shape.equals(Shapes.UNANSWERED)) {
            answerSoon(saga.sagaId(), key);
            if (random.nextInt(4) == 0) {
                answerSoon(saga.sagaId(), key + "-other");
            }
        }
        return saga;
    }

    private static SagaInstance start(SagaClient client, String shape, String key) {
        return client.start(Shapes.type(shape), new Task(key.hashCode()), StartOptions.businessKey(key));
    }

    private void joined(String shape, String key, boolean commit) throws Exception {
        try {
            SagaInstance saga = node.transactions().run(() -> order(shape, key, commit));
            acknowledge(saga, key);
        } catch (OnPurpose e) {
            rolledBack.add(key);
        }
    }

    private SagaInstance order(String shape, String key, boolean commit) throws SQLException, OnPurpose {
        SagaInstance saga = start(node.client(), shape, key);
        JdbcTransactions transactions = node.transactions();
        try (PreparedStatement insert =
                transactions.connection().prepareStatement("insert into chaos_order values (?, ?)")) {
            insert.setString(1, key);
            insert.setObject(2, saga.sagaId());
            insert.executeUpdate();
        }
        if (!commit) {
            throw new OnPurpose();
        }
        return saga;
    }

    private void acknowledge(SagaInstance saga, String key) throws IOException {
        acknowledged.add(saga.sagaId() + " " + key);
    }

    private static final class OnPurpose extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
