package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.Step;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuard;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.testsupport.CommitProxy;
import io.backstep.saga.testsupport.CommitProxy.Cut;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A connection that breaks at each commit of a guard, before the commit has come to the database or after: the caller tries again. */
class GuardLostCommitsIT {
    private static final int COMMITS = 6;

    private final TestPostgres.Db near = TestPostgres.fresh();
    private CommitProxy proxy;
    private HikariDataSource direct;
    private HikariDataSource pool;
    private JdbcTransactions transactions;

    @BeforeEach
    void open() throws Exception {
        proxy = CommitProxy.before(near);
        direct = pool(near);
        pool = pool(proxy.through(near));
        SagaSchema.migrate(direct);
        TestDatabase.execute(direct, "create table effect (operation_id varchar(250), what varchar(40))");
        transactions = new JdbcTransactions(pool);
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

    private static <T> T untilItSucceeds(Callable<T> call) throws Exception {
        for (int tries = 1; ; tries++) {
            try {
                return call.call();
            } catch (RuntimeException e) {
                if (tries == 5 || e instanceof OperationRefusedException) {
                    throw e;
                }
            }
        }
    }

    private String write(String id, String what) throws SQLException {
        TestDatabase.execute(transactions.connection(), "insert into effect values (?, ?)", id, what);
        return what;
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void an_action_and_its_compensation_take_effect_once(int after, Cut cut) throws Exception {
        ParticipantGuard<String> guard = new ParticipantGuards(
                        JdbcGuardStore.create(direct, transactions), transactions)
                .guard(Step.named("write", String.class));
        String id = UUID.randomUUID() + ":write";
        cut(after, cut);

        for (int i = 0; i < 3; i++) {
            assertThat(untilItSucceeds(() -> guard.action(id, () -> write(id, "did"))))
                    .isEqualTo("did");
        }
        for (int i = 0; i < 3; i++) {
            assertThat(untilItSucceeds(() -> guard.compensation(id, recorded -> write(id, "undid"))))
                    .isIn(CompensationAnswer.DONE, CompensationAnswer.DUPLICATE);
        }
        assertThat(TestDatabase.strings(direct, "select what from effect order by what"))
                .containsExactly("did", "undid");
        assertThatThrownBy(() -> guard.action(id, () -> write(id, "late")))
                .isInstanceOf(OperationRefusedException.class);
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void a_request_is_answered_the_same(int after, Cut cut) throws Exception {
        IdempotencyHandler handler = new IdempotencyHandler(
                JdbcIdempotencyStore.create(pool),
                new IdempotencyHandler.Settings(Duration.ofHours(1), Duration.ofMillis(200), Duration.ofSeconds(30)));
        AtomicInteger done = new AtomicInteger();
        String key = UUID.randomUUID().toString();
        Step<String> pay = Step.named("pay", String.class);
        cut(after, cut);

        for (int i = 0; i < 4; i++) {
            untilItSucceeds(() -> handler.once(key, pay, "10 EUR", () -> "" + done.incrementAndGet()));
        }
        String last = untilItSucceeds(() -> handler.once(key, pay, "10 EUR", () -> "" + done.incrementAndGet()));
        assertThat(last).isEqualTo("" + done.get());
    }
}
