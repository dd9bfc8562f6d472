package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.messaging.OutboxBatch;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.messaging.OutboxRow;
import io.backstep.saga.messaging.PublishRefusedException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A message is there if and only if its transaction was committed. */
abstract class PublishCases extends OutboxFixture {
    PublishCases(OutboxContract contract) {
        super(contract);
    }

    @Test
    void a_message_can_be_sent_after_the_commit_and_not_before() {
        UUID id = inTransaction(() -> {
            UUID published = outbox().publish(message("1", "placed"));
            assertThat(claim()).isEmpty();
            return published;
        });

        assertThat(claimed().rows()).extracting(OutboxRow::id).containsExactly(id);
    }

    @Test
    void a_message_is_rolled_back_with_its_transaction() {
        assertThatThrownBy(() -> inTransaction(() -> {
                    outbox().publish(message("1", "placed"));
                    throw new GuardFixture.Planned();
                }))
                .isInstanceOf(GuardFixture.Planned.class);

        assertThat(claim()).isEmpty();
    }

    @Test // F079
    void a_message_outside_a_transaction_is_refused() {
        assertThatThrownBy(() -> outbox().publish(message("1", "placed")))
                .isInstanceOf(PublishRefusedException.class)
                .hasMessageStartingWith("SAGA-OUT-001");
        assertThatThrownBy(() -> store().insert(UUID.randomUUID(), message("1", "placed")))
                .isInstanceOf(IllegalStateException.class);

        assertThat(claim()).isEmpty();
    }

    @Test // F161
    void payload_and_headers_come_as_they_were_given() {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        List<OutboxMessage> given = List.of(
                OutboxMessage.of("order", "1", "none"),
                OutboxMessage.of("order", "1", "empty").text(""),
                OutboxMessage.of("order", "1", "null").text("null"),
                OutboxMessage.of("order", "1", "text").text("{\"name\":\"Zoë 🙂 \\\\\"}"),
                OutboxMessage.of("order", "1", "bytes").bytes(bytes),
                OutboxMessage.of("order", "1", "headers")
                        .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                        .header("empty", "")
                        .header("who", "Zoë \"quoted\""));

        publish(given.toArray(OutboxMessage[]::new));

        assertThat(claimed().rows()).extracting(OutboxRow::message).isEqualTo(given);
    }

    @Test
    void keys_that_look_alike_are_not_the_same() { // F043
        List<String> keys = List.of("a", "A", "a ", "ä", "a\u0308");
        keys.forEach(key -> publish(message(key, "first of <" + key + ">"), message(key, "second of <" + key + ">")));
        int held = 0;
        for (var next = claim(); next.isPresent(); next = claim()) {
            OutboxBatch batch = next.get();
            store().settle(
                            batch,
                            batch.rows().stream()
                                    .map(row -> row.message().aggregateId().equals("a") ? failed(row) : sent(row))
                                    .toList());
            held += batch.rows().size();
        }

        assertThat(held).isEqualTo(10);
        assertThat(store().failed(10))
                .extracting(failed -> failed.message().type())
                .containsExactly("first of <a>", "second of <a>");
    }
}
