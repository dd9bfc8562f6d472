package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.testsupport.CommitProxy;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real PostgreSQL behind a network that loses its answers, or brings them too late: F10. */
class SlowDatabaseIT extends OutageFixture {
    /** There are 16 workers and a dozen others; workers that hand over may be there twice. None may come with a start. */
    private static final int MOST_THREADS = 60;

    private static final int STARTS = 200;

    enum Network {
        HALF_OPEN,
        SLOWER_THAN_ITS_LIMIT
    }

    private CommitProxy proxy;

    @Override
    TestDatabase database() throws IOException {
        TestPostgres.Db db = TestPostgres.fresh();
        proxy = CommitProxy.before(db);
        TestPostgres.Db through = proxy.through(db);
        return new TestDatabase(through.url(), through.user(), through.password())
                .with("socketTimeout=2&connectTimeout=2");
    }

    @AfterEach
    void end() throws IOException {
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource
    void calls_end_at_the_limit_of_the_socket_and_no_threads_pile_up(Network network) throws Exception {
        start(1_000);
        List<UUID> ids = sagas();
        proxy.silence(network == Network.HALF_OPEN);
        proxy.delay(network == Network.HALF_OPEN ? Duration.ZERO : Duration.ofSeconds(5));
        open.countDown();
        await().atMost(LONG).until(() -> !engine.status().storeReachable());

        assertThat(startInVain(STARTS)).extracting(SagaStoreException::effect).containsOnly(Effect.NONE);
        assertThat(engineThreads()).hasSizeLessThanOrEqualTo(MOST_THREADS);

        proxy.delay(Duration.ZERO);
        proxy.silence(false);
        allEnd(ids);
    }

    private List<SagaStoreException> startInVain(int times) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(20);
        try {
            Callable<SagaStoreException> one = this::startInVain;
            List<Future<SagaStoreException>> told = callers.invokeAll(Collections.nCopies(times, one));
            return told.stream().map(SlowDatabaseIT::result).toList();
        } finally {
            callers.shutdownNow();
        }
    }

    private static SagaStoreException result(Future<SagaStoreException> future) {
        try {
            return future.get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> engineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("saga-" + NODE))
                .toList();
    }
}
