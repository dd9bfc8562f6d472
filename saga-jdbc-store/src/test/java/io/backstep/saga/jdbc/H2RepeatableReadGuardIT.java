package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.OperationBusyException;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.VoidParticipantGuard;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where a row that another transaction has written meanwhile is in the way, and is not seen. */
class H2RepeatableReadGuardIT extends H2GuardIT {
    @Override
    void configure(HikariConfig config) {
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
    }

    @Override
    protected boolean yieldsWhenJoined() {
        return true;
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_row_that_the_callers_transaction_does_not_see_is_no_reason_to_ask_for_ever() throws Exception {
        String id = UUID.randomUUID() + ":ship";
        VoidParticipantGuard guard = new ParticipantGuards(store(), transactions()).guard("ship");

        assertThatThrownBy(() -> transactions().inTransaction(() -> {
                    guard.action(id + 2, () -> {});
                    guard.action(id + 2, () -> {}); // it has looked, and from now on sees the table as it was then
                    CompletableFuture.runAsync(() -> act(guard, id)).get();
                    return guard.compensation(id, () -> {});
                }))
                .isInstanceOfSatisfying(
                        OperationBusyException.class,
                        busy -> assertThat(busy.transactionLost()).isTrue());

        assertThat(guard.compensation(id, () -> {})).isEqualTo(CompensationAnswer.DONE);
    }

    private void act(VoidParticipantGuard guard, String id) {
        try {
            guard.action(id, () -> write(id, "did"));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
