package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.testsupport.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** D23: steps of an application that begin a transaction of Spring's and do not end it. */
class LeftOpenTransactionsIT {
    private static final SagaType<String> TYPE = SagaType.named("careless", String.class);
    private static final Retry TWICE = Retry.fixed(Duration.ofMillis(1)).maxAttempts(2);

    /** More than the pool has connections: each must come back. */
    private static final int SAGAS = 15;

    private final TestPostgres.Db database = TestPostgres.fresh();

    @ParameterizedTest(name = "jpa {0}") // D23
    @ValueSource(booleans = {false, true})
    void what_they_wrote_is_rolled_back_and_what_comes_next_is_not_in_it(boolean jpa) {
        try (ConfigurableApplicationContext context = jpa
                ? Applications.withJpa(database, Application.class)
                : Applications.run(database, Application.class)) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            SagaClient sagas = context.getBean(SagaClient.class);
            jdbc.execute("create table mark (name varchar(200) primary key)");
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < SAGAS; i++) {
                ids.add(sagas.start(TYPE, "in").sagaId());
            }

            for (UUID id : ids) {
                assertThat(sagas.await(id, Duration.ofMinutes(1)).status()).isEqualTo(SagaStatus.COMPENSATED);
                assertThat(jdbc.queryForList(
                                "select name from mark where name like ? order by name", String.class, id + "%"))
                        .containsExactly(id + ":leaves:action 2", id + ":leaves:compensation 2", id + ":next:action 1");
                assertThat(jdbc.queryForList(
                                "select phase || ' ' || outcome from saga_step_history"
                                        + " where saga_id = ? and error_code = 'SAGA-DB-007' order by phase",
                                String.class,
                                id))
                        .containsExactly("ACTION ESCAPED", "COMPENSATION ESCAPED");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        SagaDefinition<String> careless(PlatformTransactionManager manager, JdbcTemplate jdbc) {
            return Saga.define(TYPE)
                    .step("leaves")
                    .action(c -> leave(manager, jdbc, c))
                    .compensate(c -> leave(manager, jdbc, c))
                    .retry(TWICE)
                    .compensationRetry(TWICE)
                    .step("next")
                    .action(c -> {
                        mark(jdbc, c);
                        throw new StepRejectedException("NO", "no");
                    })
                    .noCompensation("a test")
                    .build();
        }

        /** The first time it forgets the end. */
        private static void leave(PlatformTransactionManager manager, JdbcTemplate jdbc, StepContext<String> c) {
            if (c.attempt() == 1) {
                manager.getTransaction(new DefaultTransactionDefinition());
            }
            mark(jdbc, c);
        }

        private static void mark(JdbcTemplate jdbc, StepContext<String> c) {
            jdbc.update("insert into mark values (?)", c.operationKey() + " " + c.attempt());
        }
    }
}
