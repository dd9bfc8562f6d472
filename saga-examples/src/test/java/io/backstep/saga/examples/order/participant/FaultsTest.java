package io.backstep.saga.examples.order.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.web.server.ResponseStatusException;

class FaultsTest {
    private final Faults faults = new Faults();

    @Test
    void there_are_none_at_first() {
        assertThat(faults.of(Faults.Line.PAYMENTS)).isEqualTo(Fault.NONE);
        faults.before(Faults.Line.PAYMENTS, Fault.NONE);
    }

    @Test
    void each_line_has_its_own() {
        faults.set(Faults.Line.PAYMENTS, Fault.DECLINE);

        assertThat(faults.of(Faults.Line.PAYMENTS)).isEqualTo(Fault.DECLINE);
        assertThat(faults.of(Faults.Line.REFUNDS)).isEqualTo(Fault.NONE);
    }

    @Test
    void a_call_that_is_told_to_fail_fails() {
        assertThatThrownBy(() -> faults.before(Faults.Line.PAYMENTS, Fault.FAIL))
                .isInstanceOf(ResponseStatusException.class);
    }

    @Test
    void a_call_that_hangs_goes_on_when_the_switch_is_moved() {
        CompletableFuture<Void> hanging = hang();

        assertThat(hanging).isNotDone();
        faults.set(Faults.Line.PAYMENTS, Fault.NONE);
        hanging.join();
    }

    @Test
    void a_call_that_hangs_does_not_go_on_when_another_switch_is_moved() {
        CompletableFuture<Void> hanging = hang();

        faults.set(Faults.Line.REFUNDS, Fault.NONE);
        faults.close(); // a call that was let go before would have gone through
        assertThatThrownBy(hanging::join).isInstanceOf(CompletionException.class);
    }

    @Test
    void a_call_that_hangs_fails_at_the_end_of_the_service() {
        CompletableFuture<Void> hanging = hang();

        faults.close();
        assertThatThrownBy(hanging::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(ResponseStatusException.class);
    }

    private CompletableFuture<Void> hang() {
        CompletableFuture<Void> hanging = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                faults.before(Faults.Line.PAYMENTS, Fault.HANG);
                hanging.complete(null);
            } catch (ResponseStatusException e) {
                hanging.completeExceptionally(e);
            }
        });
        thread.start();
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return hanging;
    }
}
