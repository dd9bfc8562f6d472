package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.Lease;
import io.backstep.saga.store.NewInstance;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What an operator's action depends on. */
abstract class InspectCases extends OperatorRows {
    InspectCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void what_is_inspected_is_the_row_and_whether_it_is_held() {
        UUID id = startedByA();

        Inspected seen = inspected(id);

        assertThat(seen.row()).isEqualTo(row(id));
        assertThat(seen.held()).isTrue();
        assertThat(seen.mail()).isEmpty();
        assertThat(store().inspect(UUID.randomUUID())).isEmpty();
    }

    @Test
    void the_age_counts_from_the_creation_by_the_clock_of_the_database() {
        UUID id = startedByA();
        contract.age(id, Duration.ofDays(3));

        assertThat(inspected(id).age())
                .isBetween(Duration.ofDays(3), Duration.ofDays(3).plusMinutes(5));
    }

    @Test
    void a_short_lease_is_held_until_it_has_run_out() {
        NewInstance saga = owned(new Lease("node-a/1", Duration.ofMillis(300)));
        insert(saga);

        Inspected seen = Waiting.until(() -> inspected(saga.sagaId()), now -> !now.held());

        assertThat(seen.now()).isAfterOrEqualTo(dueAt(saga.sagaId()));
    }
}
