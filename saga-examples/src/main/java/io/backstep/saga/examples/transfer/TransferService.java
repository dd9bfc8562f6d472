package io.backstep.saga.examples.transfer;

import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.jdbc.TwoPhaseParticipant;
import io.backstep.saga.jdbc.TwoPhaseParticipant.Orphan;
import io.backstep.saga.jdbc.TwoPhaseParticipant.Outcome;
import io.backstep.saga.jdbc.TwoPhaseParticipant.Swept;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

/** The service, with one engine, whose sagas are here. */
public final class TransferService implements AutoCloseable {
    private static final int SAGA_ID = 36;

    private final TwoPhaseParticipant debit;
    private final TwoPhaseParticipant credit;
    private final SagaEngine engine;
    private final SagaClient sagas;

    /**
     * Makes the tables that are missing in both databases, and starts the engine.
     *
     * @param here a pool on PostgreSQL: the sagas, and the accounts that money is taken from
     * @param there a pool on PostgreSQL: the accounts that it goes to
     * @throws SQLException when one does not answer
     */
    public TransferService(DataSource here, DataSource there) throws SQLException {
        debit = participant("debit", here);
        credit = participant("credit", there);
        JdbcTransactions transactions = new JdbcTransactions(here);
        engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(here, transactions))
                .transactions(transactions)
                .build();
        engine.register(TransferSaga.definition(debit, credit));
        engine.start();
        sagas = engine.client();
    }

    private static TwoPhaseParticipant participant(String name, DataSource dataSource) throws SQLException {
        SagaSchema.migrate(dataSource); // of which a participant needs the guard's
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(Accounts.DDL);
        }
        TwoPhaseParticipant participant = TwoPhaseParticipant.create(name, dataSource);
        participant.requirePreparedTransactions();
        return participant;
    }

    /**
     * Transfers, and waits for the end.
     *
     * @param transfer what
     * @return as it is at its end; or as it is after half a minute, or when it is parked: then {@code ended()} is false
     */
    public SagaInstance transfer(Transfer transfer) {
        UUID saga = sagas.start(TransferSaga.TYPE, transfer, StartOptions.businessKey(transfer.reference()))
                .sagaId();
        return sagas.await(saga, Duration.ofSeconds(30));
    }

    /**
     * Ends what was prepared and left, in both databases; from a job, now and then. Usually there is nothing: a saga ends what it has prepared.
     *
     * @param age how long ago it was prepared, at least
     * @return how many were ended, here and there
     */
    public int sweep(Duration age) {
        Swept here = debit.sweep(age, this::outcome);
        Swept there = credit.sweep(age, this::outcome);
        return here.committed() + here.rolledBack() + there.committed() + there.rolledBack();
    }

    /** An idempotency key begins with the id of its saga. */
    private Outcome outcome(Orphan orphan) {
        return orphan.key()
                .flatMap(key -> sagas.find(UUID.fromString(key.substring(0, SAGA_ID))))
                .map(saga -> switch (saga.status()) {
                    case COMPLETED -> Outcome.COMMITTED;
                    case COMPENSATED -> Outcome.ROLLED_BACK;
                    default -> Outcome.UNDECIDED; // it goes on by itself, or an operator decides
                })
                .orElse(Outcome.UNDECIDED);
    }

    /** Waits for running attempts, gives the sagas back to the database, and stops the engine. */
    @Override
    public void close() {
        engine.close();
    }
}
