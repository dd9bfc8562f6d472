package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Hold;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims of one saga by its id. */
abstract class ClaimOneCases extends StoreCases {
    ClaimOneCases(SagaStoreContract contract) {
        super(contract);
    }

    @Test
    void one_saga_is_claimed_by_its_id() {
        UUID id = due();

        Optional<Claimed> claimed = claimOne(id);

        assertThat(claimed.map(Claimed::row)).contains(row(id));
        assertThat(claimed.map(Claimed::takenOver)).contains(false);
        assertThat(row(id).epoch()).isEqualTo(1);
        assertThat(row(id).owner()).isEqualTo(LEASE_B.owner());
        assertThat(claimOne(id)).isEmpty();
    }

    @Test
    void by_its_id_only_what_is_nobodys_and_due_is_claimed() {
        UUID live = startedByA();
        UUID expired = startedByA();
        contract.age(expired, LONG.plusSeconds(1));
        UUID early = startedByA();
        submit(write(early, 1, 0, SagaStatus.RUNNING, Hold.release(LONG)));
        UUID parked = startedByA();
        submit(write(parked, 1, 0, SagaStatus.FAILED, Hold.END));

        assertThat(Stream.of(live, expired, early, parked, UUID.randomUUID()).map(this::claimOne))
                .allMatch(Optional::isEmpty);
    }

    @Test
    void by_its_id_only_what_its_node_knows_is_claimed() {
        UUID id = due();

        assertThat(claimOne(id, register("another", 1))).isEmpty();
        assertThat(row(id).epoch()).isZero();
        assertThat(claimOne(id)).isPresent();
    }

    @Test
    void of_ten_who_want_one_saga_one_gets_it() {
        UUID id = due();

        List<Boolean> got = Together.run(10, number -> claimOne(id).isPresent());

        assertThat(got).containsOnlyOnce(true);
        assertThat(row(id).epoch()).isEqualTo(1);
    }
}
