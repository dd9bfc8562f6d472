package io.backstep.saga.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.test.BrokerContract;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class InProcessBrokerTest extends BrokerContract {
    private final InProcessBroker broker = new InProcessBroker();
    private final List<Received> received = new ArrayList<>();

    InProcessBrokerTest() {
        broker.subscribe("contract", (id, message) -> received.add(new Received(id, message)));
    }

    @Override
    protected MessageBroker broker() {
        return broker;
    }

    @Override
    protected List<Received> received(String aggregateId, int count) {
        return received;
    }

    @Test
    void a_message_that_a_subscriber_fails_on_is_not_confirmed() {
        broker.subscribe("order", (id, message) -> {
            throw new java.io.IOException("planned");
        });

        assertThat(broker.send(UUID.randomUUID(), OutboxMessage.of("order", "1", "placed"))
                        .toCompletableFuture())
                .isCompletedExceptionally();
        assertThat(broker.send(UUID.randomUUID(), OutboxMessage.of("other", "1", "placed"))
                        .toCompletableFuture())
                .isCompleted();
    }
}
