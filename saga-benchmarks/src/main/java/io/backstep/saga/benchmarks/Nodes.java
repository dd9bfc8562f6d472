package io.backstep.saga.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** JVMs of one contender on one database. */
record Nodes(Server database, List<Fork> forks) implements AutoCloseable {
    private interface Call<T> {
        T of(Fork fork) throws IOException;
    }

    static Nodes of(Contenders contender, Server database, int count, String... flags) throws IOException {
        List<Fork> forks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            forks.add(Fork.of(contender, database, List.of(flags)));
        }
        return new Nodes(database, forks);
    }

    void warmUp(Settings settings) throws Exception {
        for (Fork fork : forks) {
            fork.call("window W1:64 " + settings.seconds("warmup-seconds").toMillis() + " 100");
        }
    }

    /**
     * A window of some of them, at the same time.
     *
     * @param count how many of them
     * @param workload what each of them does
     * @param settings how long it settles and lasts
     * @return of all of them together
     * @throws Exception when one fails, or sagas are left that have not ended
     */
    Sample window(int count, String workload, Settings settings) throws Exception {
        List<Fork> some = forks.subList(0, count);
        Duration settle = settings.seconds("settle-seconds");
        Duration length = settings.seconds("seconds");
        each(some, fork -> fork.call("load " + workload + " " + settle.toMillis()));
        database.execute("checkpoint");
        Sample all = each(some, fork -> fork.sample("measure " + length.toMillis())).stream()
                .reduce(Sample::beside)
                .orElseThrow();
        each(some, fork -> fork.call("end"));
        long open = Node.open(database);
        if (open > 0) {
            throw new IllegalStateException(open + " sagas have not ended");
        }
        database.execute("vacuum analyze"); // else autovacuum does it in the windows of others
        return all;
    }

    private static <T> List<T> each(List<Fork> forks, Call<T> call) {
        List<CompletableFuture<T>> calls = forks.stream()
                .map(fork -> CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return call.of(fork);
                            } catch (IOException e) {
                                throw new CompletionException(e);
                            }
                        },
                        task -> new Thread(task, "node").start()))
                .toList();
        return calls.stream().map(CompletableFuture::join).toList();
    }

    @Override
    public void close() throws Exception {
        for (Fork fork : forks) {
            fork.close();
        }
    }
}
