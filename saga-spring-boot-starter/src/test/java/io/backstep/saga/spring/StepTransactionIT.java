package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.SagaSchema;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** User code that ends the transaction of its step behind Spring's back is found out. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StepTransactionIT {
    private static final Lease LEASE = new Lease("node/1", Duration.ofMinutes(10));

    private interface Deed {
        void in(HikariDataSource dataSource) throws Exception;
    }

    private record Setup(String name, HikariDataSource dataSource, JdbcSagaStore store) {
        static Setup of(String name, String url, String user, String password) {
            HikariDataSource dataSource = new HikariDataSource();
            dataSource.setJdbcUrl(url);
            dataSource.setUsername(user);
            dataSource.setPassword(password);
            SagaSchema.migrate(dataSource);
            new JdbcTemplate(dataSource).execute("create table effect (id int)");
            JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
            SpringTransactions transactions = new SpringTransactions(dataSource, () -> List.of(manager), () -> false);
            return new Setup(name, dataSource, JdbcSagaStore.create(dataSource, transactions));
        }

        UUID owned() {
            UUID id = UUID.randomUUID();
            NewInstance row = new NewInstance(
                    id,
                    store.register("step", 1, "a"),
                    null,
                    "0".repeat(64),
                    SagaStatus.RUNNING,
                    "{}",
                    "1",
                    1,
                    null,
                    LEASE);
            store.insert(List.of(row), (results, failure) -> assertThat(failure).isNull());
            return id;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private final List<Setup> setups = setups();

    private static List<Setup> setups() {
        TestPostgres.Db postgres = TestPostgres.fresh();
        return List.of(
                Setup.of("PostgreSQL", postgres.url(), postgres.user(), postgres.password()),
                Setup.of("H2", Contexts.h2(), "sa", ""));
    }

    @AfterAll
    void close() {
        setups.forEach(setup -> setup.dataSource.close());
    }

    Stream<Arguments> deeds() {
        return setups.stream()
                .flatMap(setup -> Stream.of(
                        deed(setup, "commit", dataSource -> bound(dataSource).commit()),
                        deed(setup, "rollback", dataSource -> bound(dataSource).rollback()),
                        deed(setup, "close", dataSource -> bound(dataSource).close()),
                        deed(
                                setup,
                                "autocommit",
                                dataSource -> bound(dataSource).setAutoCommit(true)),
                        deed(setup, "commit in SQL", dataSource -> new JdbcTemplate(dataSource).execute("commit"))));
    }

    private static Arguments deed(Setup setup, String name, Deed deed) {
        return Arguments.of(setup, name, deed);
    }

    private static Connection bound(HikariDataSource dataSource) {
        return DataSourceUtils.getConnection(dataSource);
    }

    @ParameterizedTest(name = "{0}: {1}") // D23
    @MethodSource("deeds")
    void it_is_found_out_and_nothing_is_recorded(Setup setup, String name, Deed deed) {
        UUID id = setup.owned();

        Throwable failure = failure(setup, id, deed);

        assertThat(failure)
                .isInstanceOfSatisfying(
                        SagaStoreException.class, e -> assertThat(e.code()).isEqualTo("SAGA-DB-007"));
        assertThat(setup.store.find(id).orElseThrow().seq()).isZero();
    }

    @ParameterizedTest
    @FieldSource("setups")
    void what_leaves_it_alone_is_recorded(Setup setup) {
        UUID id = setup.owned();

        assertThat(failure(setup, id, dataSource -> {})).isNull();
        assertThat(setup.store.find(id).orElseThrow().seq()).isEqualTo(1);
    }

    private static @Nullable Throwable failure(Setup setup, UUID id, Deed deed) {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        setup.store.inTransaction(
                () -> {
                    new JdbcTemplate(setup.dataSource).update("insert into effect values (1)");
                    deed.in(setup.dataSource);
                    return new Mutation(
                            new Fence(id, 1, 0), SagaStatus.RUNNING, null, null, Hold.KEEP, List.of(), List.of());
                },
                (acceptance, thrown) -> failure.set(thrown));
        return failure.get();
    }
}
