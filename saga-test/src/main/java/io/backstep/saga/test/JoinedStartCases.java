package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InsertResult.Kind;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.NewInstance;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Starts inside a caller's transaction. */
abstract class JoinedStartCases extends StoreCases {
    private static final String TOO_LONG = "k".repeat(201);

    JoinedStartCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void a_joined_start_is_there_after_the_commit_nobodys_and_due_at_once() {
        NewInstance saga = keyed("key");

        assertThat(inTransaction(() -> store().insertJoined(saga))).isEqualTo(InsertResult.INSERTED);

        InstanceRow row = row(saga.sagaId());
        assertThat(row.owner()).isNull();
        assertThat(row.epoch()).isZero();
        assertThat(claimOne(saga.sagaId())).isPresent();
    }

    @Test
    void a_joined_start_is_visible_inside_and_to_nobody_else_before_the_commit() {
        NewInstance saga = keyed("key");

        inTransaction(() -> {
            store().insertJoined(saga);
            assertThat(store().find(saga.sagaId())).isPresent();
            assertThat(store().find(definition.name(), "key")).isPresent();
            assertThat(Answer.await(Together.start(() -> store().find(saga.sagaId()))))
                    .isEmpty();
            assertThat(Answer.await(Together.start(() -> claim(10)))).isEmpty();
            assertThat(Answer.await(Together.start(() -> claimOne(saga.sagaId()))))
                    .isEmpty();
            return "";
        });
    }

    @Test // F058
    void a_joined_start_is_gone_after_a_rollback_and_its_key_is_free() {
        NewInstance saga = keyed("key");

        assertThatThrownBy(() -> contract.transactions().inTransaction(() -> {
                    store().insertJoined(saga);
                    throw new IOException("changed my mind");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("changed my mind");

        assertThat(store().find(saga.sagaId())).isEmpty();
        assertThat(insert(keyed("key"))).isEqualTo(InsertResult.INSERTED);
    }

    @Test // F013, F049
    void a_duplicate_leaves_the_callers_transaction_usable() {
        NewInstance first = keyed("taken");
        insert(first);
        NewInstance before = keyed("before");
        NewInstance after = keyed("after");

        InsertResult duplicate = inTransaction(() -> {
            store().insertJoined(before);
            InsertResult result = store().insertJoined(keyed("taken"));
            store().insertJoined(after);
            return result;
        });

        assertThat(duplicate.kind()).isEqualTo(Kind.EXISTS);
        assertThat(duplicate.existing()).isEqualTo(row(first.sagaId()));
        assertThat(store().find(before.sagaId())).isPresent();
        assertThat(store().find(after.sagaId())).isPresent();
    }

    @Test // F049
    void a_duplicate_of_the_same_transaction_is_found() {
        NewInstance first = keyed("key");

        InsertResult duplicate = inTransaction(() -> {
            store().insertJoined(first);
            return store().insertJoined(keyed("key"));
        });

        assertThat(duplicate.kind()).isEqualTo(Kind.EXISTS);
        assertThat(duplicate.existing()).isEqualTo(row(first.sagaId()));
    }

    @Test
    void a_duplicate_id_leaves_the_callers_transaction_usable() {
        UUID taken = startedByA();
        NewInstance after = unowned();

        InsertResult duplicate = inTransaction(() -> {
            InsertResult result = store().insertJoined(saga(taken, definition, "other key", SagaStatus.RUNNING, null));
            store().insertJoined(after);
            return result;
        });

        assertThat(duplicate.kind()).isEqualTo(Kind.EXISTS);
        assertThat(duplicate.existing()).isEqualTo(row(taken));
        assertThat(store().find(after.sagaId())).isPresent();
    }

    @Test
    void a_refused_start_leaves_the_callers_transaction_usable() {
        NewInstance after = unowned();

        InsertResult refused = inTransaction(() -> {
            InsertResult result = store().insertJoined(keyed(TOO_LONG));
            store().insertJoined(after);
            return result;
        });

        assertThat(refused.kind()).isEqualTo(Kind.REFUSED);
        assertThat(refused.cause()).isNotNull();
        assertThat(store().find(after.sagaId())).isPresent();
    }

    @Test
    void a_start_waits_for_another_with_the_same_key_and_finds_it_after_its_commit() {
        NewInstance first = keyed("key");
        List<CompletableFuture<InsertResult>> waiting = new ArrayList<>();

        inTransaction(() -> {
            store().insertJoined(first);
            waiting.add(Together.start(() -> insert(keyed("key"))));
            waiting.add(Together.start(() -> inTransaction(() -> store().insertJoined(keyed("key")))));
            waiting.forEach(Waiting::aMomentFor);
            return "";
        });

        assertThat(waiting.stream().map(Answer::await))
                .extracting(result -> Optional.ofNullable(result.existing()).map(InstanceRow::sagaId))
                .containsOnly(Optional.of(first.sagaId()));
    }

    @Test
    void a_start_waits_for_another_with_the_same_key_and_takes_its_place_after_its_rollback() {
        List<CompletableFuture<InsertResult>> waiting = new ArrayList<>();

        assertThatThrownBy(() -> contract.transactions().inTransaction(() -> {
                    store().insertJoined(keyed("key"));
                    waiting.add(Together.start(() -> insert(keyed("key"))));
                    waiting.forEach(Waiting::aMomentFor);
                    throw new IOException("changed my mind");
                }))
                .isInstanceOf(IOException.class);

        assertThat(Answer.await(waiting.get(0))).isEqualTo(InsertResult.INSERTED);
    }

    @Test // F011
    void of_ten_joined_starts_with_one_key_one_is_inserted() {
        List<Kind> kinds = Together.run(
                10,
                number -> inTransaction(() -> store().insertJoined(keyed("key")).kind()));

        assertThat(kinds).containsOnlyOnce(Kind.INSERTED).contains(Kind.EXISTS);
        assertThat(claim(20)).hasSize(1);
    }
}
