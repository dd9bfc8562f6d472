package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.messaging.MessageBroker;
import io.backstep.saga.messaging.OutboxMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every {@link MessageBroker} must do. Extend it, and hand in the broker and what somebody receives from it. */
public abstract class BrokerContract {
    private final String aggregate = UUID.randomUUID().toString();

    /** Made by the test framework. */
    protected BrokerContract() {}

    /**
     * What was received.
     *
     * @param id the message's id
     * @param message the message
     */
    public record Received(UUID id, OutboxMessage message) {}

    /**
     * The broker under test.
     *
     * @return the same for the whole of a case
     */
    protected abstract MessageBroker broker();

    /**
     * What was received of one aggregate.
     *
     * @param aggregateId an aggregate of the type {@code contract}
     * @param count how many are waited for
     * @return what came, in the order in which it came
     */
    protected abstract List<Received> received(String aggregateId, int count);

    private Received sent(OutboxMessage message) throws Exception {
        UUID id = UUID.randomUUID();
        CompletableFuture<?> confirmed = broker().send(id, message).toCompletableFuture();
        confirmed.get(1, TimeUnit.MINUTES);
        return new Received(id, message);
    }

    private OutboxMessage message(String type) {
        return OutboxMessage.of("contract", aggregate, type);
    }

    @Test
    void messages_of_an_aggregate_that_were_confirmed_one_by_one_come_in_order() throws Exception {
        List<Received> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(sent(message("e" + i).text("{}")));
        }

        assertThat(received(aggregate, 50)).isEqualTo(all);
    }

    @Test // F161
    void id_payload_and_headers_come_as_they_were_sent() throws Exception {
        List<Received> all = List.of(
                sent(message("none")),
                sent(message("empty").text("")),
                sent(message("text").text("Zoë 🙂")),
                sent(message("bytes").bytes(new byte[] {0, -1, 13, 10})),
                sent(message("headers").text("x").header("traceparent", "00-01").header("who", "Zoë")));

        assertThat(received(aggregate, 5)).isEqualTo(all);
    }

    @Test
    void the_same_message_may_be_sent_again() throws Exception {
        UUID id = UUID.randomUUID();
        OutboxMessage message = message("twice").text("x");
        for (int i = 0; i < 2; i++) {
            broker().send(id, message).toCompletableFuture().get(1, TimeUnit.MINUTES);
        }

        assertThat(received(aggregate, 2)).isNotEmpty().containsOnly(new Received(id, message));
    }
}
