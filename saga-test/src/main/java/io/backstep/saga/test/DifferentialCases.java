package io.backstep.saga.test;

import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.SagaStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The store does what the in-memory store does: random operations, one after the other, have the same answers and leave the same
 * tables. A seed that fails is repeated with {@code -Dsaga.differential.seed=N}.
 */
abstract class DifferentialCases extends StoreCases {
    private static final int SEQUENCES = Integer.getInteger("saga.differential.sequences", 20);
    private static final int OPERATIONS = Integer.getInteger("saga.differential.operations", 40);

    DifferentialCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void random_operations_have_the_same_answers_and_leave_the_same_tables_as_in_memory() {
        Integer only = Integer.getInteger("saga.differential.seed");
        if (only != null) {
            sequence(only);
            return;
        }
        for (int seed = 1; seed <= SEQUENCES; seed++) {
            sequence(seed);
        }
    }

    private void sequence(int seed) {
        InMemorySagaStore memory = new InMemorySagaStore();
        String name = newName();
        Side reference = new Side(
                memory,
                memory.transactions(),
                (id, by) -> memory.edit(id, row -> RowEdits.older(row, by)),
                definitions(memory, name));
        Side other = new Side(store(), contract.transactions(), contract::age, definitions(store(), name));
        Duel duel = new Duel(reference, other, "repeat it with -Dsaga.differential.seed=" + seed);
        Operations operations = new Operations(new Chance(seed), duel);
        for (int i = 0; i < OPERATIONS; i++) {
            operations.next();
        }
        duel.compare(operations.ids());
        duel.compareLists();
        duel.compareAudits(operations.ids());
    }

    /** Two versions of a type, whose keys are shared, and another type. */
    private static List<RegisteredDefinition> definitions(SagaStore store, String name) {
        return List.of(
                store.register(name, 1, "print"),
                store.register(name, 2, "print"),
                store.register(name + "-b", 1, "print"));
    }
}
