package io.backstep.saga.test;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.NewInstance;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is listed, and what is asked. */
abstract class ListRows extends OperatorRows {
    ListRows(SagaStoreContract contract) {
        super(contract);
    }

    ListQuery all() {
        return query(null, null, null);
    }

    ListQuery query(@Nullable SagaStatus status, @Nullable String businessKey, @Nullable String step) {
        return new ListQuery(status, definition.name(), businessKey, step, null, null, null, 100);
    }

    ListQuery created(@Nullable Instant from, @Nullable Instant to) {
        return new ListQuery(null, definition.name(), null, null, from, to, null, 100);
    }

    List<UUID> ids(ListQuery query) {
        return store().list(query).stream().map(InstanceSummary::sagaId).toList();
    }

    UUID inserted(NewInstance saga) {
        insert(saga);
        return saga.sagaId();
    }

    UUID withSteps(String steps) {
        return inserted(new NewInstance(
                UUID.randomUUID(), definition, null, HASH, SagaStatus.RUNNING, steps, "{}", 1, null, LEASE_A));
    }

    UUID withId(long high, long low) {
        return inserted(saga(new UUID(high, low), definition, null, SagaStatus.RUNNING, null));
    }

    /** Written as bytes are compared. */
    static String hex(UUID id) {
        return id.toString();
    }
}
