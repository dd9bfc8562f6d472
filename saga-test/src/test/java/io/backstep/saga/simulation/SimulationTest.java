package io.backstep.saga.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Some hundred seeds; {@code bin/simulate} runs as many as are asked for. */
class SimulationTest {
    private static final LoopThread.Crew CREW = new LoopThread.Crew();

    @Test
    void every_promise_is_kept_whatever_goes_wrong() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Options options = Options.of("--seeds", "200", "--keep-no-seeds", "--no-shrink");
        boolean good = new Simulate(options, new PrintStream(said, true, StandardCharsets.UTF_8)).run();
        assertThat(good).as(said.toString(StandardCharsets.UTF_8)).isTrue();
    }

    @Test
    void the_seeds_that_failed_once_do_not_fail_again() {
        for (long seed : KnownSeeds.all()) {
            assertThat(Run.of(seed, Cuts.NONE, CREW, null).failure())
                    .as("seed " + seed)
                    .isNull();
        }
    }

    @Test
    void the_same_seed_is_the_same_run() {
        for (long seed = 0; seed < 10; seed++) {
            Run first = Run.of(seed, Cuts.NONE, CREW, null);
            Run second = Run.of(seed, Cuts.NONE, CREW, null);
            assertThat(second.hash()).isEqualTo(first.hash());
            assertThat(second.events()).isEqualTo(first.events());
        }
    }

    @Test
    void what_is_left_out_of_a_seed_can_be_said_on_the_command_line() {
        Cuts cuts = Cuts.NONE
                .without(Fault.CRASH)
                .without(Fault.PAUSE)
                .withoutSaga(3)
                .withNodes(2)
                .withSteps(1);
        Options options = Options.of(cuts.options().trim().split(" "));
        assertThat(options.cuts).isEqualTo(cuts);
    }
}
