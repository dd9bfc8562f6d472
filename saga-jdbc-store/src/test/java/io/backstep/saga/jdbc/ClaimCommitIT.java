package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.testsupport.CommitProxy;
import io.backstep.saga.testsupport.CommitProxy.Cut;
import io.backstep.saga.testsupport.TestPostgres;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A claim commits along with its last statement; when the connection breaks there, nobody knows. */
class ClaimCommitIT {
    /** As unnamed statements, and prepared under names. */
    @ParameterizedTest
    @CsvSource({
        "prepareThreshold=0, BEFORE_COMMIT, 1",
        "prepareThreshold=0, AFTER_COMMIT, 2",
        "prepareThreshold=1, BEFORE_COMMIT, 1",
        "prepareThreshold=1, AFTER_COMMIT, 2"
    })
    void a_claim_that_is_cut_off_is_in_doubt_and_was_applied_or_not(String properties, Cut cut, long epoch)
            throws Exception {
        TestPostgres.Db direct = TestPostgres.fresh();
        try (CommitProxy proxy = CommitProxy.before(direct)) {
            TestPostgres.Db through = proxy.through(direct);
            TestDatabase near = new TestDatabase(direct.url(), direct.user(), direct.password());
            TestDatabase far = new TestDatabase(through.url(), through.user(), through.password()).with(properties);
            try (HikariDataSource pool = near.pool();
                    HikariDataSource proxied = far.pool(config -> config.setMaximumPoolSize(1))) {
                SagaSchema.migrate(pool);
                Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
                Sagas cutOff = new Sagas(JdbcSagaStore.create(proxied, new JdbcTransactions(proxied)));
                sagas.insert(sagas.sagas(1, null));
                assertThat(cutOff.claim(1)).as("its statements are known").hasSize(1);
                TestDatabase.execute(pool, "update saga_instance set owner = null, due_at = now()");

                proxy.next(cut);
                ClaimRequest request = new ClaimRequest(Sagas.LEASE, 1, List.of(cutOff.definition.definitionId()));
                Told<List<Claimed>> told = Told.by(callback -> cutOff.store.claim(request, callback));

                assertThat(told.failure())
                        .isInstanceOfSatisfying(
                                SagaStoreException.class,
                                failure -> assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN));
                assertThat(TestDatabase.strings(pool, "select epoch from saga_instance"))
                        .containsExactly(String.valueOf(epoch));
            }
        }
    }
}
