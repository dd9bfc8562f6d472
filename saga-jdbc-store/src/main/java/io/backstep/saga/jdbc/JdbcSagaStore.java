package io.backstep.saga.jdbc;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.AuditQuery;
import io.backstep.saga.store.AuditRow;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.Listening;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.Operated;
import io.backstep.saga.store.OperatorWrite;
import io.backstep.saga.store.Outlook;
import io.backstep.saga.store.PurgeRequest;
import io.backstep.saga.store.Purged;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Sweep;
import io.backstep.saga.store.TransactionalWork;
import io.backstep.saga.store.UnknownDefinition;
import io.backstep.saga.store.Written;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps sagas in the tables of {@link SagaSchema}, on PostgreSQL, H2 or MariaDB. Borrows a connection for each call and gives it back before the
 * callback is told; joined starts, transactional steps, mail and operators' writes use the connection of their transaction. Blocks
 * the calling thread.
 */
public final class JdbcSagaStore implements SagaStore {
    private final DataSource dataSource;
    private final SagaSchema.Options options;
    private final JdbcConnections transactions;
    private final Dialect dialect;
    private final Reads reads;
    private final BatchWriter writer;
    private final TransactionalSteps steps;
    private final Definitions definitions;
    private final Inserts inserts;
    private final MailStatements mail;
    private final OperatorStatements operators;
    private final AuditStatements audit;
    private final ListStatements lists;
    private final RetentionStatements retention;
    private final Looks looks;
    private final Hints hints;

    private JdbcSagaStore(
            DataSource dataSource,
            JdbcConnections transactions,
            SagaSchema.Options options,
            @Nullable DataSource notified) {
        Product product = SagaSchema.product(dataSource);
        Sql sql = new Sql(options, product);
        this.dataSource = dataSource;
        this.options = options;
        this.transactions = transactions;
        Reach reach = new Reach(System::nanoTime);
        this.dialect = product.dialect(sql, reach);
        this.reads = new Reads(sql, dialect);
        this.inserts = new Inserts(dialect, reads);
        this.writer = new BatchWriter(sql, dialect, inserts);
        this.steps = new TransactionalSteps(transactions, dialect, writer);
        this.definitions = new Definitions(sql, dialect);
        this.mail = new MailStatements(sql, dialect);
        this.operators = new OperatorStatements(sql, dialect);
        this.audit = new AuditStatements(sql, dialect);
        this.lists = new ListStatements(sql, dialect);
        this.retention = new RetentionStatements(sql, dialect);
        this.looks = new Looks(dialect, reach);
        this.hints = notified == null ? Hints.NONE : Hints.of(dataSource, notified, product, options, sql);
    }

    /**
     * Makes a store on the default tables.
     *
     * @param dataSource the database
     * @param transactions of the same database
     * @return the store
     */
    public static JdbcSagaStore create(DataSource dataSource, JdbcConnections transactions) {
        return create(dataSource, transactions, SagaSchema.Options.DEFAULT);
    }

    /**
     * Makes a store.
     *
     * @param dataSource the database
     * @param transactions of the same database
     * @param options where the tables are
     * @return the store
     * @throws io.backstep.saga.SagaConfigurationException {@code SAGA-CFG-014} when the database does not answer, {@code SAGA-CFG-002} when
     *     it is not supported
     */
    public static JdbcSagaStore create(
            DataSource dataSource, JdbcConnections transactions, SagaSchema.Options options) {
        return new JdbcSagaStore(dataSource, transactions, options, null);
    }

    /**
     * Makes a store like this one that also hints other nodes, and hears their hints, by PostgreSQL's NOTIFY and LISTEN. Mail,
     * sweeps that make a saga due and operators' writes notify, in the transaction that writes them; what sagas tell each other right
     * after it; other steps and starts never do.
     *
     * @param listening gives the one connection that {@link #listen} keeps until it is closed: of the same database, and not through
     *     a pooler in transaction mode, where it would hear nothing; may be the store's own, whose pool then has one connection less
     * @return the store
     * @throws io.backstep.saga.SagaConfigurationException {@code SAGA-CFG-020} on another database than PostgreSQL, and when its
     *     connections are not those of PostgreSQL's own driver; {@code SAGA-CFG-014} when the database does not answer
     */
    public JdbcSagaStore withNotifications(DataSource listening) {
        return new JdbcSagaStore(dataSource, transactions, options, listening);
    }

    @Override
    public RegisteredDefinition register(String name, int version, String fingerprint) {
        try {
            return inOwnTransaction(connection -> definitions.register(connection, name, version, fingerprint));
        } catch (SagaStoreException e) {
            if (Failures.isMissingTable(e)) {
                SagaSchema.verify(dataSource, options);
            }
            throw e;
        }
    }

    @Override
    public List<UnknownDefinition> unknown(List<Integer> definitionIds, int most) {
        return inOwnTransaction(connection -> definitions.unknown(connection, definitionIds, most));
    }

    @Override
    public Map<Integer, Duration> oldest(List<Integer> definitionIds, int most) {
        return inOwnTransaction(connection -> definitions.oldest(connection, definitionIds, most));
    }

    @Override
    public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
        answer(callback, connection -> inserts.insert(connection, batch));
    }

    @Override
    public InsertResult insertJoined(NewInstance instance) {
        try {
            return inserts.insertJoined(transactions.connection(), instance);
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    @Override
    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
        answer(
                hinting(batch, callback),
                connection -> writer.write(connection, batch, List.of()).progress());
    }

    @Override
    public void write(List<Mutation> mutations, List<NewInstance> starts, StoreCallback<Written> callback) {
        answer(hinting(mutations, callback), connection -> writer.write(connection, mutations, starts));
    }

    /** What commits along with its statement hints in a transaction of its own: a hint may be lost. */
    private <T> StoreCallback<T> hinting(List<Mutation> mutations, StoreCallback<T> callback) {
        return mutations.stream().allMatch(mutation -> mutation.posts().isEmpty())
                ? callback
                : (answer, failure) -> {
                    callback.done(answer, failure);
                    hint(answer != null);
                };
    }

    private void hint(boolean done) {
        try {
            if (done && hints != Hints.NONE) {
                inOwnTransaction(connection -> hints.after(true, connection));
            }
        } catch (RuntimeException e) {
            return; // others find the mail at their next look
        }
    }

    @Override
    public void inTransaction(TransactionalWork work, StoreCallback<Acceptance> callback) {
        steps.run(work, callback);
    }

    @Override
    public boolean isTransient(Throwable failure) {
        return Failures.isTransient(failure);
    }

    @Override
    public void look(String owner, List<Integer> definitionIds, StoreCallback<Outlook> callback) {
        answer(callback, connection -> looks.look(connection, owner, definitionIds));
    }

    @Override
    public Listening listen(Runnable hint) {
        return hints.listen(hint);
    }

    @Override
    public void claim(ClaimRequest request, StoreCallback<List<Claimed>> callback) {
        answer(callback, connection -> dialect.claim(connection, request));
    }

    @Override
    public void claimOne(
            UUID sagaId, Lease lease, List<Integer> definitionIds, StoreCallback<Optional<Claimed>> callback) {
        answer(
                callback,
                connection -> dialect.claimOne(connection, sagaId, lease, definitionIds)
                        ? reads.taken(connection, sagaId)
                        : Optional.empty());
    }

    @Override
    public void recover(Held held, Lease lease, StoreCallback<Optional<Claimed>> callback) {
        answer(
                callback,
                connection -> isRecovered(connection, held, lease)
                        ? reads.taken(connection, held.sagaId())
                        : Optional.empty());
    }

    /** A lock that somebody keeps is of this saga alone: it says nothing of the database. */
    private boolean isRecovered(Connection connection, Held held, Lease lease) throws SQLException {
        try {
            return dialect.recover(connection, held, lease);
        } catch (SQLException e) {
            if (Failures.isLockedByAnother(e)) {
                throw Failures.locked(held.sagaId(), e);
            }
            throw e;
        }
    }

    @Override
    public void renew(List<Held> held, Lease lease, StoreCallback<Set<UUID>> callback) {
        answer(callback, connection -> dialect.renew(connection, held, lease));
    }

    @Override
    public Optional<InstanceRow> find(UUID sagaId) {
        return read(connection -> reads.byId(connection, sagaId));
    }

    @Override
    public Optional<InstanceRow> find(String name, String businessKey) {
        return read(connection -> reads.byKey(connection, name, businessKey));
    }

    @Override
    public List<HistoryRow> history(UUID sagaId) {
        return read(connection -> reads.history(connection, sagaId));
    }

    @Override
    public List<CompensationRow> compensations(UUID sagaId) {
        return read(connection -> reads.compensations(connection, sagaId));
    }

    @Override
    public List<HistoryRow> history(UUID sagaId, HistoryRow.@Nullable Place after, int limit) {
        return read(connection -> reads.history(connection, sagaId, after, limit));
    }

    @Override
    public boolean post(Mail message) {
        Failures.refuse(StorableText.fault(message));
        return insertInside(message.sagaId(), connection -> hints.after(mail.post(connection, message), connection));
    }

    @Override
    public boolean isPosted(UUID sagaId, String messageId) {
        return StorableText.storable(messageId) && read(connection -> mail.isThere(connection, sagaId, messageId));
    }

    @Override
    public Instant now() {
        return read(reads::now);
    }

    @Override
    public void sweepMail(String owner, List<Integer> definitionIds, StoreCallback<Sweep> callback) {
        answer(callback, connection -> mail.sweep(connection, owner, definitionIds, hints));
    }

    @Override
    public Optional<Inspected> inspect(UUID sagaId) {
        return read(connection -> reads.inspect(connection, sagaId));
    }

    @Override
    public Operated operate(OperatorWrite write) {
        try {
            Operated operated = operators.operate(transactions.connection(), write);
            hints.after(operated == Operated.DONE, transactions.connection());
            return operated;
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    @Override
    public boolean audit(AuditEntry entry) {
        Failures.refuse(StorableText.fault(entry));
        return insertInside(entry.sagaId(), connection -> audit.add(connection, entry));
    }

    @Override
    public List<AuditRow> audit(AuditQuery query) {
        return read(connection -> audit.find(connection, query));
    }

    @Override
    public List<InstanceSummary> list(ListQuery query) {
        return read(connection -> lists.find(connection, query));
    }

    @Override
    public Purged purge(PurgeRequest request) {
        return inOwnTransaction(connection -> retention.purge(connection, request));
    }

    private boolean insertInside(UUID sagaId, Savepoints.Work<Boolean> work) {
        try {
            return Savepoints.inserted(transactions.connection(), work);
        } catch (SQLException e) {
            throw Failures.isInsertedByAnother(e) ? Failures.beingInserted(sagaId, e) : Failures.beforeCommit(e);
        }
    }

    private <T> void answer(StoreCallback<T> callback, Savepoints.Work<T> work) {
        T answer = null;
        Throwable failure = null;
        try {
            answer = inOwnTransaction(work);
        } catch (Throwable e) {
            failure = e;
        }
        callback.done(answer, failure);
    }

    private <T> T inOwnTransaction(Savepoints.Work<T> work) {
        try (OwnTransaction transaction = dialect.begin(dataSource)) {
            T answer = work.run(transaction.connection());
            transaction.commit();
            return answer;
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }

    /** In the caller's transaction, if there is one: it sees what that has written, and needs no second connection. */
    private <T> T read(Savepoints.Work<T> work) {
        try {
            return transactions.isActive() ? work.run(transactions.connection()) : inOwnTransaction(work);
        } catch (SQLException e) {
            throw Failures.beforeCommit(e);
        }
    }
}
