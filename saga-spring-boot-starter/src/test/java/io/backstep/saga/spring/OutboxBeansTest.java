package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.messaging.InProcessBroker;
import io.backstep.saga.messaging.MessageBroker;
import io.backstep.saga.messaging.Outbox;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.messaging.OutboxRelay;
import io.backstep.saga.messaging.PublishRefusedException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The outbox of an application with the starter. */
class OutboxBeansTest {
    private final ApplicationContextRunner runner = Contexts.onH2().withUserConfiguration(Meters.class);

    @Configuration(proxyBeanMethods = false)
    static class Meters {
        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    /** Publishes, and is told: what is a circle for a careless outbox. */
    @Configuration(proxyBeanMethods = false)
    static class WithBroker {
        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

        @Bean
        MessageBroker broker(Outbox outbox) {
            InProcessBroker broker = new InProcessBroker();
            broker.subscribe("order", (id, message) -> received.add(message.type()));
            return broker;
        }

        @Bean
        BlockingQueue<String> received() {
            return received;
        }
    }

    private static UUID publish(ApplicationContext context, String type) {
        TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        return template.execute(status -> context.getBean(Outbox.class).publish(OutboxMessage.of("order", "1", type)));
    }

    @Test
    void what_is_published_in_a_transaction_of_springs_is_sent_after_its_commit() {
        runner.withUserConfiguration(WithBroker.class).run(context -> {
            publish(context, "placed");

            BlockingQueue<?> received = context.getBean("received", BlockingQueue.class);
            assertThat(received.poll(1, TimeUnit.MINUTES)).isEqualTo("placed");
        });
    }

    @Test // F079
    void outside_a_transaction_it_is_refused() {
        runner.run(context -> assertThatThrownBy(
                        () -> context.getBean(Outbox.class).publish(OutboxMessage.of("order", "1", "placed")))
                .isInstanceOf(PublishRefusedException.class));
    }

    @Test // F155
    void a_node_without_a_relay_tells_what_waits() {
        runner.withUserConfiguration(WithBroker.class)
                .withPropertyValues("saga.outbox.relay=false")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(OutboxRelay.class);
                    publish(context, "placed");

                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    assertThat(meters.get("saga.outbox.waiting").gauge().value())
                            .isEqualTo(1);
                    assertThat(meters.get("saga.outbox.oldest.age").gauge().value())
                            .isNotNegative();
                    assertThat(context.getBean(HealthIndicator.class).health().getDetails())
                            .extractingByKey("outbox")
                            .asString()
                            .contains("waiting=1", "failed=0");
                });
    }

    @Test
    void without_a_broker_there_is_an_outbox_and_no_relay() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(Outbox.class).doesNotHaveBean(OutboxRelay.class);
            publish(context, "placed");
            assertThat(context.getBean(Outbox.class).backlog().waiting()).isEqualTo(1);
        });
    }

    @Test
    void bad_settings_are_told_at_the_start() {
        runner.withPropertyValues("saga.outbox.send-timeout=20s", "saga.batch-size=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("saga.outbox.send-timeout is PT20S")
                        .hasMessageContaining("saga.batch-size"));
        runner.withPropertyValues("saga.outbox.max-attempts=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("saga.outbox: maxAttempts is 0"));
    }
}
