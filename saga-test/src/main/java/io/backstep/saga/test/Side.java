package io.backstep.saga.test;

import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** One of two stores that are told the same. */
record Side(
        SagaStore store,
        Transactions transactions,
        BiConsumer<UUID, Duration> age,
        List<RegisteredDefinition> definitions) {

    private static final class Back extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Of one definition, or of all when there is none with that number. */
    List<Integer> definitionIds(int only) {
        return definitions.stream()
                .filter(definition -> only < 0 || definition.equals(definitions.get(only)))
                .map(RegisteredDefinition::definitionId)
                .toList();
    }

    <T> T answer(Consumer<StoreCallback<T>> call) {
        return Answer.of(call).orThrow();
    }

    /** In a transaction that is committed, or rolled back. */
    <T> T within(boolean committed, Callable<T> work) {
        Object[] result = new Object[1];
        try {
            transactions.inTransaction(() -> {
                result[0] = work.call();
                if (!committed) {
                    throw new Back();
                }
                return result[0];
            });
        } catch (Back expected) {
            // as it was asked for
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError("the transaction failed", e);
        }
        @SuppressWarnings("unchecked") // what the work returned
        T typed = (T) result[0];
        return typed;
    }
}
