package io.backstep.saga.spring;

import io.backstep.saga.messaging.OutboxListener;
import io.backstep.saga.messaging.OutboxRow;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts what the relay of this node has sent; tells on every node what waits. No meter has tags: topics and keys are the application's. */
final class OutboxMetrics implements OutboxListener {
    private final Counter sent;
    private final Counter retries;
    private final Counter failures;

    OutboxMetrics(MeterRegistry registry, StoredMessages stored) {
        sent = counter(registry, "saga.outbox.sent", "Messages that the broker has confirmed to this node");
        retries = counter(registry, "saga.outbox.retries", "Messages that this node has sent in vain and sends again");
        failures = counter(registry, "saga.outbox.failures", "Messages that this node could not send");
        Gauge.builder("saga.outbox.waiting", stored, all -> all.value(backlog -> backlog.waiting()))
                .description("Messages that are still to be sent")
                .register(registry);
        Gauge.builder("saga.outbox.failed", stored, all -> all.value(backlog -> backlog.failed()))
                .description("Messages that could not be sent and wait for a person")
                .register(registry);
        Gauge.builder(
                        "saga.outbox.oldest.age",
                        stored,
                        all -> all.value(backlog -> backlog.oldest().toMillis() / 1000.0))
                .description("How long ago the oldest message that is not sent was published")
                .baseUnit("seconds")
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    @Override
    public void sent(int count) {
        sent.increment(count);
    }

    @Override
    public void retried(OutboxRow row, Throwable failure) {
        retries.increment();
    }

    @Override
    public void failed(OutboxRow row, Throwable failure) {
        failures.increment();
    }
}
