package io.backstep.saga.benchmarks;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** One way to run order sagas, on a database of its own. Closing it stops it; what it has stored stays. */
interface Contender extends AutoCloseable {
    /** The names of the four steps. */
    String[] STEPS = {"reserve", "pay", "confirm", "ship"};

    /** How a saga ended. */
    enum End {
        COMPLETED,
        COMPENSATED
    }

    /** How many sagas of this database ended how, and how many have not ended. */
    record Tally(long completed, long compensated, long open) {}

    /**
     * Starts a saga. May block meanwhile, until it has ended if need be.
     *
     * @param order its input
     * @return told how it ended, after that is durable
     * @throws Exception when it cannot be started
     */
    CompletableFuture<End> start(Order order) throws Exception;

    /**
     * Counts the sagas, by SQL.
     *
     * @return all that there are
     * @throws SQLException when they cannot be counted
     */
    Tally tally() throws SQLException;

    /**
     * What calls {@link #start}.
     *
     * @param inFlight how many calls may block at once
     * @return an executor of this loop alone
     */
    default Executor clients(int inFlight) {
        return Executors.newFixedThreadPool(inFlight, task -> {
            Thread client = new Thread(task, "client");
            client.setDaemon(true);
            return client;
        });
    }

    @Override
    void close() throws Exception;
}
