package io.backstep.saga.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.backstep.saga.benchmarks.Bars.Bar;
import io.backstep.saga.benchmarks.Results.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultsTest {
    private final Results results = new Results(Map.of("commit", "abc"));

    @Test
    void a_ratio_is_the_median_of_those_of_the_rounds() {
        List<Sample> ours = List.of(perSecond(100), perSecond(400), perSecond(90));
        List<Sample> theirs = List.of(perSecond(10), perSecond(10), perSecond(10));

        assertThat(Results.ratio(ours, theirs, Sample::sagasPerSecond)).isEqualTo(10);
        assertThat(Results.median(ours.subList(0, 2), Sample::sagasPerSecond)).isEqualTo(250);
    }

    @Test
    void a_bar_is_looked_at_when_both_were_measured() {
        results.windows().add(new Row(1, "backstep", "W1:64", perSecond(900)));
        assertThat(Bars.of(results)).isEmpty();

        results.windows().add(new Row(1, "dbos", "W1:64", perSecond(100)));
        results.windows().add(new Row(1, "jdbc-loop", "W1:64", perSecond(200)));

        assertThat(Bars.of(results))
                .extracting(Bar::value, Bar::met)
                .containsExactly(tuple(9.0, true), tuple(4.5, false));
    }

    @Test
    void finished_sagas_are_compared_with_none() {
        results.windows().add(new Row(1, "backstep", "W1:256", perSecond(1000)));
        results.windows().add(new Row(1, "backstep", "W5:256", perSecond(880)));

        assertThat(Bars.of(results).stream().filter(bar -> bar.what().startsWith("W5")))
                .singleElement()
                .matches(bar -> bar.value() == 0.88 && !bar.met());
    }

    @Test
    void the_worst_takeover_counts() {
        results.takeovers().add(new Results.Takeover(1, "backstep", 1000, 10.25, 10));
        results.takeovers().add(new Results.Takeover(2, "backstep", 1000, 12.5, 10));

        assertThat(Bars.of(results)).singleElement().matches(bar -> bar.value() == 2.5 && !bar.met());
    }

    @Test
    void the_page_says_what_was_measured() {
        results.windows().add(new Row(1, "backstep", "W1:64", perSecond(900)));
        results.takeovers().add(new Results.Takeover(1, "backstep", 1000, 10.25, 10));

        assertThat(new Pages(results).markdown())
                .contains("- commit: abc", "## W1:64", "| backstep | 900 | 1.00 |", "| 1 | backstep | 1000 | 10.25 |");
    }

    private static Sample perSecond(double sagas) {
        return new Sample(1, 1, sagas, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    }
}
