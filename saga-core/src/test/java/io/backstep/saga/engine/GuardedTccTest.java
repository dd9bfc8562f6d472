package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.participant.CompensationAnswer;
import io.backstep.saga.participant.InMemoryGuardStore;
import io.backstep.saga.participant.OperationRefusedException;
import io.backstep.saga.participant.ParticipantGuards;
import io.backstep.saga.participant.VoidParticipantGuard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A guarded participant, called by a try and a cancel, or by an action and a compensation: it stands both alike. */
class GuardedTccTest extends EngineFixture { // F130, its half of TCC
    private final VoidParticipantGuard guard = new ParticipantGuards(
                    new InMemoryGuardStore(memory.transactions(), time::now), memory.transactions())
            .guard("seats");
    private final List<CompensationAnswer> answers = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private boolean arrives;

    private void act(StepContext<?> c) throws Exception {
        keys.add(c.idempotencyKey());
        if (arrives) {
            guard.action(c.idempotencyKey(), () -> calls.add("hold"));
        }
        throw new IOException("the reply is lost");
    }

    private void undo(StepContext<?> c) throws Exception {
        answers.add(guard.compensation(c.idempotencyKey(), () -> calls.add("free")));
        if (answers.size() == 1) {
            throw new IOException("the reply is lost");
        }
    }

    private SagaDefinition<Input> seats(boolean tcc) {
        return tcc
                ? Tcc.define(TYPE)
                        .tcc("seat")
                        .tryAction(this::act)
                        .confirm(c -> calls.add("sell"))
                        .cancel(this::undo)
                        .retry(Retry.none())
                        .build()
                : define().step("seat")
                        .action(this::act)
                        .compensate(this::undo)
                        .retry(Retry.none())
                        .build();
    }

    private void lateCallIsRefused() {
        assertThatThrownBy(() -> guard.action(keys.get(0), () -> calls.add("hold late")))
                .isInstanceOf(OperationRefusedException.class)
                .isInstanceOf(StepRejectedException.class);
    }

    @ParameterizedTest // F123, F124
    @ValueSource(booleans = {false, true})
    void what_never_arrived_is_undone_without_effect_and_refused_when_it_comes(boolean tcc) {
        assertThat(run(seats(tcc)).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(answers).containsExactly(CompensationAnswer.EMPTY, CompensationAnswer.DUPLICATE);
        lateCallIsRefused();
        assertThat(calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_has_arrived_is_undone_once_and_refused_when_it_comes_again(boolean tcc) {
        arrives = true;
        assertThat(run(seats(tcc)).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(answers).containsExactly(CompensationAnswer.DONE, CompensationAnswer.DUPLICATE);
        lateCallIsRefused();
        assertThat(calls).containsExactly("hold", "free");
    }
}
