package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.SagaListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.Transactional;

/** Participants and listeners behind Spring's proxies, and what Spring sees of ours. */
class ProxiedBeansTest {
    private static final SagaType<String> TYPE = SagaType.named("proxied", String.class);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final String url = Contexts.h2();
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(Contexts.jdbc())
            .withConfiguration(Contexts.ours())
            .withPropertyValues(
                    "spring.datasource.url=" + url, "saga.poll-interval=20ms", "spring.aop.proxy-target-class=false");

    // F065
    @Test
    void proxied_participants_and_listeners_are_called_and_no_name_of_a_proxy_is_stored() {
        application.withUserConfiguration(Proxied.class).run(context -> {
            assertThat(AopUtils.isCglibProxy(context.getBean(Hotel.class))).isTrue();
            assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Heard.class))).isTrue();
            SagaClient sagas = context.getBean(SagaClient.class);

            UUID id = sagas.start(TYPE, "a").sagaId();

            assertThat(sagas.await(id, LONG).status()).isEqualTo(SagaStatus.COMPLETED);
            assertThat(context.getBean(Hotel.class).booked()).containsExactly("a");
            await().atMost(LONG)
                    .until(() -> context.getBean(Heard.class).heard().contains(id));
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            for (String table : List.of("type", "definition", "instance", "step_history")) {
                assertThat(everything(jdbc, "saga_" + table)).isNotEmpty().doesNotContain("$$", "$Proxy", "Lambda");
            }
        });
        application
                .withUserConfiguration(Proxied.class)
                .run(again -> assertThat(again).hasNotFailed()); // the same definition under the same name
    }

    private static String everything(JdbcTemplate jdbc, String table) {
        List<Map<String, Object>> rows = jdbc.queryForList("select * from " + table);
        return rows.isEmpty() ? "" : rows.toString();
    }

    // F074
    @Test
    void no_event_of_ours_is_published() {
        application
                .withUserConfiguration(Contexts.OneDefinition.class)
                .withBean(Events.class)
                .run(context -> {
                    Contexts.assertThatSagasRun(context);
                    assertThat(context.getBean(Events.class).ours).isEmpty();
                });
    }

    static class Events implements ApplicationListener<ApplicationEvent> {
        final List<Object> ours = new CopyOnWriteArrayList<>();

        @Override
        public void onApplicationEvent(ApplicationEvent event) {
            Object what = event instanceof PayloadApplicationEvent<?> payload ? payload.getPayload() : event;
            if (what.getClass().getName().startsWith("io.backstep")) {
                ours.add(what);
            }
        }
    }

    /** Behind a subclass that Spring makes. */
    static class Hotel {
        private final List<String> booked = new CopyOnWriteArrayList<>();

        @Transactional
        public void book(String what) {
            booked.add(what);
        }

        @Async
        public void remind(String what) {}

        public List<String> booked() {
            return booked;
        }
    }

    interface Heard {
        List<UUID> heard();
    }

    /** Behind a proxy of its interfaces. */
    static final class Ears implements SagaListener, Heard {
        private final List<UUID> heard = new CopyOnWriteArrayList<>();

        @Override
        @Transactional(readOnly = true)
        public void started(SagaInstance saga) {
            heard.add(saga.sagaId());
        }

        @Override
        public List<UUID> heard() {
            return heard;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Proxied {
        @Bean
        SagaDefinition<String> definition(Hotel hotel) {
            return Saga.define(TYPE)
                    .step("book")
                    .action(c -> {
                        hotel.book(c.input());
                        hotel.remind(c.input());
                    })
                    .noCompensation("a test")
                    .build();
        }

        @Bean
        Ears ears() {
            return new Ears();
        }

        @Bean
        Hotel hotel() {
            return new Hotel();
        }
    }
}
