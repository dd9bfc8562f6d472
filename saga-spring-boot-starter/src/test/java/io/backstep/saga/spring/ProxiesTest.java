package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StepView;
import io.backstep.saga.store.SagaStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Participants behind proxies: what is stored are the names that the definition gives. */
class ProxiesTest {
    private static final SagaType<String> STAY = SagaType.named("stay", String.class);

    interface Hotel {
        void book(String guest);
    }

    static class Rooms implements Hotel {
        @Override
        @Transactional
        public void book(String guest) {}
    }

    static class Bills {
        @Transactional
        public void pay(String guest) {}
    }

    @Test // F065
    void steps_on_proxied_beans_run_under_their_own_names() {
        new ApplicationContextRunner()
                .withConfiguration(Contexts.jdbc())
                .withConfiguration(Contexts.ours())
                .withUserConfiguration(Application.class)
                .withPropertyValues("spring.datasource.url=" + Contexts.h2(), "saga.poll-interval=20ms")
                .run(context -> {
                    assertThat(AopUtils.isCglibProxy(context.getBean(Bills.class)))
                            .isTrue();
                    assertThat(AopUtils.isAopProxy(context.getBean(Hotel.class)))
                            .isTrue();
                    SagaClient sagas = context.getBean(SagaClient.class);

                    SagaInstance saga = sagas.await(sagas.start(STAY, "ann").sagaId(), Duration.ofSeconds(20));

                    assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
                    assertThat(saga.name()).isEqualTo("stay");
                    assertThat(saga.steps()).extracting(StepView::name).containsExactly("book", "pay");
                    assertThat(context.getBean(SagaStore.class).history(saga.sagaId()))
                            .extracting(row -> row.entry().step())
                            .containsExactly("book", "pay", "");
                });
    }

    @Configuration
    @EnableTransactionManagement // a JDK proxy for the interface, CGLIB for the class
    static class Application {
        @Bean
        Hotel hotel() {
            return new Rooms();
        }

        @Bean
        Bills bills() {
            return new Bills();
        }

        @Bean
        SagaDefinition<String> stay(Hotel hotel, Bills bills) {
            return Saga.define(STAY)
                    .step("book")
                    .action(c -> hotel.book(c.input()))
                    .noCompensation("a test")
                    .step("pay")
                    .transactional()
                    .action(c -> bills.pay(c.input()))
                    .noCompensation("a test")
                    .build();
        }
    }
}
