package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InsertResult.Kind;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.testsupport.CommitProxy;
import io.backstep.saga.testsupport.CommitProxy.Cut;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Through a proxy: a flush and its commit are one message, which can be cut off only on its way. */
class PostgresFaultsIT extends FaultsContract {
    private static final String KILL_WHO_WAITS = """
            select pg_terminate_backend(pid) from pg_stat_activity
              where wait_event_type = 'Lock' and datname = current_database()
            """;

    private static final String REFUSE_COMMITS = """
            create function refused() returns trigger language plpgsql as
              $$ begin raise exception 'could not serialize access' using errcode = '40001'; end $$;
            create constraint trigger refuse after insert on saga_step_history
              deferrable initially deferred for each row execute function refused()
            """;

    private static final String REFUSE_NO_MORE = "drop trigger refuse on saga_step_history; drop function refused()";

    private final CommitProxy proxy;
    private final TestDatabase through;

    PostgresFaultsIT() throws IOException {
        TestPostgres.Db direct = TestPostgres.fresh();
        proxy = CommitProxy.before(direct);
        TestPostgres.Db db = proxy.through(direct);
        through = new TestDatabase(db.url(), db.user(), db.password());
    }

    @AfterAll
    void closeProxy() throws IOException {
        proxy.close();
    }

    @Override
    TestDatabase database() {
        return through;
    }

    @Override
    void losing(FailingCommits.Mode how, Runnable call) {
        switch (how) {
            case APPLIED -> proxy.next(Cut.AFTER_COMMIT);
            case NOT_APPLIED -> proxy.next(Cut.BEFORE_COMMIT);
            case REFUSED -> TestDatabase.execute(pool, REFUSE_COMMITS);
            case NONE -> {}
        }
        call.run();
        if (how == FailingCommits.Mode.REFUSED) {
            TestDatabase.execute(pool, REFUSE_NO_MORE);
        }
    }

    @Override
    Effect whenCutOff() {
        return Effect.UNKNOWN;
    }

    @Test
    void only_the_start_whose_rival_cannot_be_read_is_tried_again() {
        NewInstance fresh = sagas.saga("fresh, read in vain", Sagas.LEASE);

        Told<List<InsertResult>> told = besideATakenKey(fresh, false);

        assertThat(told.answer()).extracting(InsertResult::kind).containsExactly(Kind.INSERTED, Kind.LOCKED);
        assertThat(sagas.store.find(fresh.sagaId())).isPresent();
    }

    @Test
    void starts_that_are_committed_are_in_doubt_when_the_connection_breaks_before_their_rivals_are_read() {
        NewInstance fresh = sagas.saga("fresh, connection gone", Sagas.LEASE);

        Told<List<InsertResult>> told = besideATakenKey(fresh, true);

        assertThat(told.failure())
                .isInstanceOfSatisfying(
                        SagaStoreException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN));
        assertThat(sagas.store.find(fresh.sagaId())).isPresent();
    }

    /** Reads fail; with the connection gone nothing else works either. */
    private Told<List<InsertResult>> besideATakenKey(NewInstance fresh, boolean gone) {
        sagas.insert(List.of(sagas.saga("taken", Sagas.LEASE)));
        boolean[] failed = {false};
        DataSource breaks = Watched.wrap(pool, borrowed -> {}, (connection, method, arguments) -> {
            boolean reads = method.getName().equals("prepareStatement")
                    && String.valueOf(arguments[0]).startsWith("select");
            failed[0] |= reads;
            if (reads || (gone && failed[0] && method.getName().equals("rollback"))) {
                throw new SQLException("it fails", gone ? "08006" : "57014");
            }
            return Watched.call(connection, method, arguments);
        });
        JdbcSagaStore store = JdbcSagaStore.create(breaks, transactions);
        return Told.by(answer -> store.insert(List.of(fresh, sagas.saga("taken", Sagas.LEASE)), answer));
    }

    @Override
    Object parameter(UUID id) {
        return id;
    }

    @Override
    void holdUpLines(Connection operator, UUID id) throws SQLException {
        TestDatabase.execute(operator, "lock table saga_step_history in exclusive mode");
    }

    @Override
    boolean killWhoWaits(HikariDataSource dataSource) {
        return !TestDatabase.strings(dataSource, KILL_WHO_WAITS).isEmpty();
    }
}
