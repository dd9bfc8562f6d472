package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReachTest {
    private Duration now = Duration.ofSeconds(100);
    private final Reach reach = new Reach(() -> now.toNanos());

    @BeforeEach
    void a_first_time_takes_long() {
        assertThat(look(Duration.ofSeconds(3), true)).isEqualTo(Reach.ALL);
    }

    @Test
    void at_all_as_long_as_that_is_quick() {
        assertThat(look(Duration.ofMillis(199), true)).isEqualTo(Reach.ALL);
        assertThat(look(Duration.ofSeconds(3), true)).isEqualTo(Reach.ALL);
        assertThat(look(Duration.ofMillis(199), true)).isEqualTo(Reach.ALL);
    }

    @Test
    void seldom_at_all_when_that_takes_long_again() {
        assertThat(look(Duration.ofSeconds(2), true)).isEqualTo(Reach.ALL);

        assertThat(look(Duration.ofSeconds(1), true)).isEqualTo(Reach.MARGIN.plusSeconds(2));
        assertThat(look(Duration.ZERO, true)).isEqualTo(Reach.MARGIN.plusSeconds(1));

        now = now.plusSeconds(19);
        assertThat(look(Duration.ZERO, true)).isEqualTo(Reach.ALL);
    }

    @Test
    void at_all_within_five_minutes_however_long_that_takes() {
        look(Duration.ofHours(1), true);

        now = now.plusMinutes(5).minusNanos(1);
        assertThat(look(Duration.ZERO, true)).isNotEqualTo(Reach.ALL);
        now = now.plusNanos(1);
        assertThat(look(Duration.ZERO, true)).isEqualTo(Reach.ALL);
    }

    @Test
    void from_the_same_time_again_when_some_may_be_left() {
        look(Duration.ofSeconds(2), true);
        look(Duration.ofSeconds(1), false);

        assertThat(look(Duration.ZERO, true)).isEqualTo(Reach.MARGIN.plusSeconds(3));
    }

    @Test
    void at_all_again_when_some_may_be_left_of_all() {
        look(Duration.ofSeconds(2), false);

        assertThat(look(Duration.ZERO, true)).isEqualTo(Reach.ALL);
    }

    @Test
    void at_all_for_other_definitions() {
        look(Duration.ofSeconds(2), true);

        assertThat(reach.begin(List.of(1, 2)).back()).isEqualTo(Reach.ALL);
    }

    private Duration look(Duration takes, boolean nothingLeft) {
        Reach.Look look = reach.begin(List.of(1));
        now = now.plus(takes);
        if (nothingLeft) {
            reach.nothingLeft(look);
        }
        return look.back();
    }
}
