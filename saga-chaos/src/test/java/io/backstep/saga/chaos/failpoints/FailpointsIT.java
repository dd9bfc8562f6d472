package io.backstep.saga.chaos.failpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.testsupport.TestPostgres;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sample of what {@code bin/failpoints} plays: each fault once, at points of each kind. */
class FailpointsIT {
    @TempDir
    private Path folder;

    @Test
    void a_sample_of_faults_at_failpoints_is_survived() {
        List<Result> results = new ArrayList<>();
        try (Slot slot = new Slot("sample", folder, TestPostgres::fresh, List.of())) {
            Stream.of(
                            one(Scenario.COMPLETING, "submit.committed", Fault.CUT),
                            one(Scenario.UNDO_STUCK, "operate.commit", Fault.THROW),
                            one(Scenario.TCC, "confirm.after", Fault.CUT),
                            one(Scenario.PROBED, "probe.before", Fault.THROW),
                            one(Scenario.PARENT_REJECTED, "child.after", Fault.CUT),
                            one(Scenario.REJECTED, "transaction.after", Fault.PAUSE),
                            one(Scenario.COMPLETING, "action.after", Fault.HALT))
                    .forEach(next -> results.add(slot.play(next)));
        }
        assertThat(results).allMatch(Result::green).allMatch(Result::hit);
    }

    private static Case one(Scenario scenario, String point, Fault fault) {
        return new Case(scenario, Optional.of(new Plan(point, 1, fault)));
    }
}
