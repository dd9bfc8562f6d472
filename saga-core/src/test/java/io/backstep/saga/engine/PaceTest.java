package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One kind of call of the store, and how often it is made while it fails. */
class PaceTest {
    private static final IllegalStateException DOWN = new IllegalStateException("down");
    private static final IllegalArgumentException DEADLOCK = new IllegalArgumentException("deadlock");

    private final VirtualTime time = new VirtualTime();
    private final List<String> tries = new ArrayList<>();
    private double drawn;
    private boolean down = true;
    private final Pace pace =
            new Pace(time.timer(() -> true), () -> drawn, time.clock(), failure -> failure == DEADLOCK);

    private void call(String name) {
        pace.enter(() -> {
            tries.add(name + " at " + time.elapsed().toMillis());
            pace.answered(pace.now(), down ? DOWN : null);
            if (down) {
                call(name);
            }
        });
    }

    @Test
    void while_it_works_all_go_at_once() {
        down = false;
        call("a");
        call("b");
        assertThat(tries).containsExactly("a at 0", "b at 0");
        assertThat(pace.isOpen()).isTrue();
    }

    @Test // G21
    void after_a_failure_one_goes_after_a_moment_then_one_each_second_in_turn() {
        call("a");
        call("b");
        time.run(Duration.ofMillis(3_500));
        assertThat(tries).containsExactly("a at 0", "a at 100", "b at 1100", "a at 2100", "b at 3100");
        assertThat(pace.waiting()).isEqualTo(2);
        down = false;
        time.run(Duration.ofSeconds(1));
        assertThat(tries).endsWith("a at 4100", "b at 4100");
        assertThat(pace.waiting()).isZero();
    }

    @ParameterizedTest // F175
    @CsvSource({"0, 1100", "0.5, 1375", "0.99, 1644"})
    void nodes_do_not_try_in_step(double draw, long thirdTry) {
        drawn = draw;
        call("a");
        time.run(Duration.ofSeconds(2));
        assertThat(tries.get(2)).isEqualTo("a at " + thirdTry);
    }

    @Test
    void it_is_shut_from_the_second_failure_on_but_for_the_next_try() {
        call("a");
        assertThat(pace.isShut()).isFalse();
        time.run(Duration.ofMillis(100));
        assertThat(pace.isShut()).isTrue();
        assertThat(pace.lastFailure()).isSameAs(DOWN);
    }

    @Test
    void a_failure_that_took_a_second_shuts_it_at_once() {
        long sent = pace.now();
        time.pass(Duration.ofSeconds(1));
        pace.answered(sent, DOWN);
        assertThat(pace.isShut()).isTrue();
        time.run(Duration.ofSeconds(1));
        assertThat(pace.isShut()).as("somebody may try").isFalse();
    }

    @Test // F17
    void a_deadlock_shows_that_the_store_answers() {
        pace.answered(pace.now(), DOWN);
        pace.answered(pace.now(), DEADLOCK);
        assertThat(pace.isOpen()).isTrue();
    }

    @Test
    void who_is_let_in_and_does_not_call_lets_the_next_in() {
        pace.answered(pace.now(), DOWN);
        pace.enter(pace::unused);
        pace.enter(pace::unused);
        down = false;
        call("a");
        time.run(Duration.ofMillis(100));
        assertThat(tries).containsExactly("a at 100");
    }
}
