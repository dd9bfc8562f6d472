package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.messaging.InProcessBroker;
import io.backstep.saga.messaging.Outbox;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.messaging.OutboxRelay;
import io.backstep.saga.messaging.RelaySettings;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.testsupport.CommitProxy;
import io.backstep.saga.testsupport.CommitProxy.Cut;
import io.backstep.saga.testsupport.TestPostgres;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A connection that breaks at each commit of a publisher, of a step that publishes or of a relay, before the commit has come to the database or after. */
class OutboxLostCommitsIT {
    private static final int COMMITS = 6;
    private static final RelaySettings SETTINGS = new RelaySettings(
            Duration.ofMillis(20),
            Duration.ofSeconds(1),
            Duration.ofMillis(300),
            100,
            2,
            Retry.fixed(Duration.ofMillis(50)).forever());

    private final TestPostgres.Db near = TestPostgres.fresh();
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final InProcessBroker broker = new InProcessBroker();
    private CommitProxy proxy;
    private HikariDataSource direct;
    private HikariDataSource pool;
    private JdbcTransactions transactions;
    private Outbox outbox;

    @BeforeEach
    void open() throws Exception {
        proxy = CommitProxy.before(near);
        direct = pool(near);
        pool = pool(proxy.through(near));
        SagaSchema.migrate(direct);
        TestDatabase.execute(direct, "create table effect (what varchar(40))");
        transactions = new JdbcTransactions(pool);
        outbox = new Outbox(JdbcOutboxStore.create(pool, transactions), transactions);
        broker.subscribe("order", (id, message) -> received.add(message.type()));
    }

    private static HikariDataSource pool(TestPostgres.Db database) {
        return new TestDatabase(database.url(), database.user(), database.password()).pool();
    }

    @AfterEach
    void close() throws Exception {
        pool.close();
        direct.close();
        proxy.close();
    }

    static Stream<Arguments> cuts() {
        return IntStream.range(0, COMMITS)
                .boxed()
                .flatMap(after -> Stream.of(Cut.BEFORE_COMMIT, Cut.AFTER_COMMIT).map(cut -> Arguments.of(after, cut)));
    }

    private void cut(int after, Cut cut) {
        proxy.forgetPlan();
        for (int i = 0; i < after; i++) {
            proxy.next(Cut.NONE);
        }
        proxy.next(cut);
    }

    private OutboxRelay relay(HikariDataSource source, RelaySettings settings) {
        return OutboxRelay.builder(JdbcOutboxStore.create(source, new JdbcTransactions(source)), broker)
                .settings(settings)
                .build();
    }

    private List<String> effects() {
        return TestDatabase.strings(direct, "select what from effect order by what");
    }

    private List<String> unsent() {
        return TestDatabase.strings(direct, "select type from saga_outbox where lane is not null");
    }

    /** Waits for all of them, with their repetitions. */
    private Set<String> received(int different) throws InterruptedException {
        Set<String> all = new LinkedHashSet<>();
        while (all.size() < different) {
            String next = received.poll(1, TimeUnit.MINUTES);
            assertThat(next).as("after " + all).isNotNull();
            all.add(next);
        }
        return all;
    }

    private String write(String what) throws Exception {
        TestDatabase.execute(transactions.connection(), "insert into effect values (?)", what);
        outbox.publish(OutboxMessage.of("order", "1", what).text("{}"));
        return what;
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void a_message_is_there_exactly_when_what_it_tells_of_is(int after, Cut cut) throws Exception {
        cut(after, cut);
        for (int i = 0; i < COMMITS; i++) {
            String what = "e" + i;
            try {
                transactions.inTransaction(() -> write(what));
            } catch (SagaStoreException e) {
                assertThat(i).isEqualTo(after);
            }
        }

        assertThat(effects()).hasSize(cut == Cut.AFTER_COMMIT ? COMMITS : COMMITS - 1);
        try (OutboxRelay relay = relay(direct, SETTINGS)) {
            relay.start();
            assertThat(received(effects().size())).containsExactlyElementsOf(effects());
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void a_relay_that_loses_a_commit_loses_no_message_and_no_order(int after, Cut cut) throws Exception {
        for (int i = 0; i < COMMITS; i++) {
            String what = "e" + i;
            transactions.inTransaction(() -> write(what));
        }
        cut(after, cut);

        List<String> all = effects();
        RelaySettings oneByOne = new RelaySettings(
                SETTINGS.pollInterval(), SETTINGS.lease(), SETTINGS.sendTimeout(), 1, 1, SETTINGS.retry());
        try (OutboxRelay relay = relay(pool, oneByOne)) {
            relay.start();
            assertThat(received(all.size())).containsExactlyElementsOf(all);
        }
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void a_step_that_publishes_has_published_once(int after, Cut cut) throws Exception {
        SagaType<String> type = SagaType.named("publishing", String.class);
        SagaDefinition<String> definition = Saga.define(type)
                .step("publish")
                .transactional()
                .action(c -> {
                    write("published");
                    if (c.attempt() == 1) {
                        throw new IllegalStateException("planned");
                    }
                })
                .noCompensation("nothing to undo")
                .retry(Retry.fixed(Duration.ofMillis(5)).maxAttempts(5))
                .build();
        cut(after, cut);
        try (SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(direct, transactions))
                .transactions(transactions)
                .definitions(definition)
                .build()) {
            engine.start();
            SagaInstance started = engine.client().start(type, "in");
            SagaInstance ended = engine.client().await(started.sagaId(), Duration.ofMinutes(1));

            assertThat(ended.status()).isEqualTo(SagaStatus.COMPLETED);
        }
        assertThat(effects()).containsExactly("published");
        assertThat(unsent()).containsExactly("published");
    }
}
