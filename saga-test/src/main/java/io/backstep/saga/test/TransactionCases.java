package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.store.NewInstance;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The transactions by themselves. */
abstract class TransactionCases extends StoreCases {
    TransactionCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void a_transaction_is_active_until_it_ends() {
        assertThat(contract.transactions().isActive()).isFalse();
        assertThat(contract.transactions().isReadOnly()).isFalse();

        assertThat(inTransaction(() -> contract.transactions().isActive())).isTrue();

        assertThat(contract.transactions().isActive()).isFalse();
    }

    @Test
    void an_inner_transaction_is_of_its_own() {
        NewInstance inner = unowned();
        NewInstance outer = unowned();

        assertThatThrownBy(() -> contract.transactions().inTransaction(() -> {
                    store().insertJoined(outer);
                    inTransaction(() -> store().insertJoined(inner));
                    assertThat(contract.transactions().isActive()).isTrue();
                    assertThat(store().find(outer.sagaId())).isPresent();
                    throw new IOException("only the outer one");
                }))
                .isInstanceOf(IOException.class);

        assertThat(store().find(inner.sagaId())).isPresent();
        assertThat(store().find(outer.sagaId())).isEmpty();
    }

    @Test
    void hooks_run_after_the_commit_and_once() {
        NewInstance saga = unowned();
        List<Object> seen = new ArrayList<>();

        inTransaction(() -> {
            store().insertJoined(saga);
            contract.transactions().afterCommit(() -> seen.add("first"));
            contract.transactions()
                    .afterCommit(() -> seen.add(Answer.await(Together.start(() -> store().find(saga.sagaId())))
                            .isPresent()));
            return seen.add("work");
        });

        assertThat(seen).containsExactly("work", "first", true);
    }

    @Test
    void hooks_never_run_after_a_rollback() {
        List<String> seen = new ArrayList<>();

        assertThatThrownBy(() -> contract.transactions().inTransaction(() -> {
                    contract.transactions().afterCommit(() -> seen.add("hook"));
                    throw new IOException("rolled back");
                }))
                .isInstanceOf(IOException.class);
        inTransaction(() -> seen.add("next"));

        assertThat(seen).containsExactly("next");
    }

    @Test
    void a_hook_that_throws_disturbs_nobody() {
        List<String> seen = new ArrayList<>();

        String result = inTransaction(() -> {
            contract.transactions().afterCommit(() -> {
                throw new IllegalStateException("a hook that fails on purpose");
            });
            contract.transactions().afterCommit(() -> seen.add("next hook"));
            return "done";
        });

        assertThat(result).isEqualTo("done");
        assertThat(seen).containsExactly("next hook");
        assertThat(contract.transactions().isActive()).isFalse();
    }

    @Test
    void a_hook_outside_a_transaction_is_refused() {
        assertThatThrownBy(() -> contract.transactions().afterCommit(() -> {}))
                .isInstanceOf(IllegalStateException.class);
    }
}
