package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** What is known after a commit that failed, for each transaction manager, on PostgreSQL. */
class CommitEffectIT {
    private static final TestPostgres.Db DATABASE = TestPostgres.fresh();
    private static ConfigurableApplicationContext context;

    private final DataSource dataSource = context.getBean(DataSource.class);
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);

    @BeforeAll
    static void start() {
        context = Applications.withJpa(DATABASE, Application.class);
        new JdbcTemplate(context.getBean(DataSource.class))
                .execute("create table seat (id int unique deferrable initially deferred)");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    static Stream<PlatformTransactionManager> managers() {
        DataSource dataSource = context.getBean(DataSource.class);
        return Stream.of(
                context.getBean(JpaTransactionManager.class),
                new JdbcTransactionManager(dataSource),
                new DataSourceTransactionManager(dataSource));
    }

    @ParameterizedTest
    @MethodSource("managers")
    void a_constraint_that_is_checked_at_the_commit_has_no_effect(PlatformTransactionManager manager) {
        SagaStoreException failure = failure(manager, () -> jdbc.update("insert into seat values (1), (1)"));

        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        assertThat(jdbc.queryForObject("select count(*) from seat", Integer.class))
                .isZero();
    }

    @ParameterizedTest
    @MethodSource("managers")
    void a_connection_that_broke_leaves_the_effect_unknown(PlatformTransactionManager manager) {
        SagaStoreException failure = failure(manager, () -> {
            jdbc.update("insert into seat values (2)");
            terminate(jdbc.queryForObject("select pg_backend_pid()", Integer.class));
            return null;
        });

        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
    }

    @Test
    void an_entity_that_cannot_be_flushed_at_the_commit_has_no_effect() {
        Passengers passengers = context.getBean(Passengers.class);
        passengers.save(new Passenger("ann"));

        SagaStoreException failure =
                failure(context.getBean(JpaTransactionManager.class), () -> passengers.save(new Passenger("ann")));

        assertThat(failure.effect()).isEqualTo(Effect.NONE);
    }

    private SagaStoreException failure(PlatformTransactionManager manager, Callable<?> work) {
        SpringTransactions transactions = new SpringTransactions(dataSource, () -> List.of(manager), () -> false);
        return catchThrowableOfType(SagaStoreException.class, () -> transactions.inTransaction(work));
    }

    private static void terminate(int backend) throws SQLException {
        try (var connection = DATABASE.connect();
                var statement = connection.createStatement()) {
            statement.execute("select pg_terminate_backend(" + backend + ", 10000)");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
