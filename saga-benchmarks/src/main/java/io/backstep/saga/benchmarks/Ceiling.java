package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.serialization.Json;
import io.backstep.saga.serialization.StateCodec;
import io.backstep.saga.state.Fact;
import io.backstep.saga.state.SagaEvent;
import io.backstep.saga.state.SagaMachine;
import io.backstep.saga.state.Transition;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.time.Ids;
import io.backstep.saga.time.SystemPorts;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The most that the design can do here: the statements of the store with records that were made before, grouped as the journal
 * groups them, and nothing else. No engine, no workers, no serialization, no client threads.
 */
final class Ceiling implements Contender {
    private static final Lease LEASE = new Lease("node/ceiling", Duration.ofSeconds(10));

    private final Server database;
    private final HikariDataSource pool;
    private final RegisteredDefinition registered;
    private final Ids ids = SystemPorts.ids();
    private final String first;
    private final List<Mutation> mutations;
    private final String hash;
    private final GroupCommit journal;
    private final Json json = new Json();
    private volatile @Nullable String input;

    Ceiling(Server database) {
        this.database = database;
        this.pool = database.pool();
        SagaSchema.migrate(pool);
        JdbcSagaStore store = JdbcSagaStore.create(pool, new JdbcTransactions(pool));
        SagaDefinition<Order> definition = Order.definition(order -> {});
        this.registered = store.register(definition.name(), definition.version(), "benchmark");
        SagaMachine machine = new SagaMachine(definition);
        StateCodec codec = new StateCodec(json);
        Transition now = machine.start(null);
        this.first = codec.write(definition, now.state());
        this.mutations = mutations(definition, machine, codec, now);
        this.hash = "0".repeat(64);
        this.journal = new GroupCommit(store);
    }

    /** What the engine writes for each step, but for the id. */
    private static List<Mutation> mutations(
            SagaDefinition<Order> definition, SagaMachine machine, StateCodec codec, Transition start) {
        List<Mutation> mutations = new ArrayList<>();
        Transition now = start;
        while (!now.state().status().ended()) {
            Transition next = machine.on(
                    now.state(),
                    new SagaEvent.Succeeded(
                            Duration.ofMillis(1),
                            now.calls().get(0).step(),
                            now.calls().get(0).phase()));
            mutations.add(new Mutation(
                    new Fence(new UUID(0, 0), 1, mutations.size()),
                    next.state().status(),
                    null,
                    codec.write(definition, next.state()),
                    next.state().status().ended() ? Hold.END : Hold.KEEP,
                    next.facts().stream().map(fact -> history(definition, fact)).toList(),
                    List.of()));
            now = next;
        }
        return mutations;
    }

    private static HistoryEntry history(SagaDefinition<Order> definition, Fact fact) {
        String step = fact.step() < 0 ? "" : definition.steps().get(fact.step()).name();
        return new HistoryEntry(
                step,
                fact.phase(),
                fact.attempt(),
                fact.outcome(),
                fact.reason(),
                null,
                null,
                null,
                Duration.ofNanos(100_000),
                "node");
    }

    @Override
    public CompletableFuture<End> start(Order order) {
        CompletableFuture<End> end = new CompletableFuture<>();
        UUID id = ids.next();
        NewInstance instance = new NewInstance(
                id, registered, null, hash, SagaStatus.RUNNING, first, input(order), Json.FORMAT, null, LEASE);
        journal.insert(instance, result -> {
            if (result.kind() == InsertResult.Kind.INSERTED) {
                submit(id, 0, end);
            } else {
                end.completeExceptionally(new IllegalStateException("an insert is " + result, result.cause()));
            }
        });
        return end;
    }

    /** The first order's, for all: nothing is serialized meanwhile. */
    private String input(Order order) {
        String made = input;
        if (made == null) {
            made = json.write("an order", order);
            input = made;
        }
        return made;
    }

    private void submit(UUID id, int number, CompletableFuture<End> end) {
        if (number == mutations.size()) {
            end.complete(End.COMPLETED);
            return;
        }
        Mutation mutation = mutations.get(number);
        journal.submit(mutation.under(new Fence(id, 1, number)), acceptance -> {
            if (acceptance.kind() == Acceptance.Kind.ACCEPTED) {
                submit(id, number + 1, end);
            } else {
                end.completeExceptionally(new IllegalStateException("a write is " + acceptance, acceptance.cause()));
            }
        });
    }

    @Override
    public Executor clients(int inFlight) {
        return Runnable::run;
    }

    @Override
    public Tally tally() throws SQLException {
        return database.tally(Backstep.TALLY);
    }

    @Override
    public void close() {
        journal.close();
        pool.close();
    }
}
