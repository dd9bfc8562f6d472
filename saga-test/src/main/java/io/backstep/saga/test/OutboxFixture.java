package io.backstep.saga.test;

import io.backstep.saga.messaging.Outbox;
import io.backstep.saga.messaging.OutboxBatch;
import io.backstep.saga.messaging.OutboxMark;
import io.backstep.saga.messaging.OutboxMark.Kind;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.messaging.OutboxRow;
import io.backstep.saga.messaging.OutboxStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;

/** What the cases of the outbox's contract share. */
abstract class OutboxFixture {
    static final Duration LEASE = Duration.ofMinutes(1);

    final OutboxContract contract;

    OutboxFixture(OutboxContract contract) {
        this.contract = contract;
    }

    @BeforeEach
    final void empty() {
        contract.reset();
    }

    final OutboxStore store() {
        return contract.store();
    }

    final Outbox outbox() {
        return new Outbox(contract.store(), contract.transactions());
    }

    static OutboxMessage message(String aggregateId, String type) {
        return OutboxMessage.of("order", aggregateId, type).text("{}");
    }

    /** An aggregate of another lane than the given one. */
    static String elsewhere(String aggregateId) {
        int lane = OutboxStore.lane(message(aggregateId, "any"));
        return Stream.iterate(0, i -> i + 1)
                .map(i -> "other-" + i)
                .filter(other -> OutboxStore.lane(message(other, "any")) != lane)
                .findFirst()
                .orElseThrow();
    }

    /** Another aggregate of the same lane. */
    static String beside(String aggregateId) {
        int lane = OutboxStore.lane(message(aggregateId, "any"));
        return Stream.iterate(0, i -> i + 1)
                .map(i -> "beside-" + i)
                .filter(other -> OutboxStore.lane(message(other, "any")) == lane)
                .findFirst()
                .orElseThrow();
    }

    final <T> T inTransaction(Callable<T> work) {
        return GuardFixture.tried(() -> contract.transactions().inTransaction(work));
    }

    /** In one transaction. */
    final List<UUID> publish(OutboxMessage... messages) {
        return inTransaction(() -> Stream.of(messages).map(outbox()::publish).toList());
    }

    final Optional<OutboxBatch> claim() {
        return store().claim("test", LEASE, 100);
    }

    /** Of the only lane that has something. */
    final OutboxBatch claimed() {
        return claim().orElseThrow();
    }

    static OutboxMark sent(OutboxRow row) {
        return new OutboxMark(row.position(), Kind.SENT, row.failures(), null, null);
    }

    static OutboxMark retry(OutboxRow row, Duration delay) {
        return new OutboxMark(row.position(), Kind.RETRY, row.failures() + 1, delay, "no answer");
    }

    static OutboxMark failed(OutboxRow row) {
        return new OutboxMark(row.position(), Kind.FAILED, row.failures() + 1, null, "too large");
    }

    static List<String> types(OutboxBatch batch) {
        return batch.rows().stream().map(row -> row.message().type()).toList();
    }

    /** Sends all that can be sent now. Gives the types in the order in which they were sent. */
    final List<String> drain() {
        List<String> all = new ArrayList<>();
        for (Optional<OutboxBatch> next = claim(); next.isPresent(); next = claim()) {
            OutboxBatch batch = next.get();
            all.addAll(types(batch));
            store().settle(batch, batch.rows().stream().map(OutboxFixture::sent).toList());
        }
        return all;
    }
}
