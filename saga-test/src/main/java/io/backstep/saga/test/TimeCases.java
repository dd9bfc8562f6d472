package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.CompensationRow;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.NewInstance;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Instants are the database's, in UTC and in microseconds. */
abstract class TimeCases extends StoreCases {
    /** Less than the offset between any two time zones. */
    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(10);

    TimeCases(SagaStoreContract contract) {
        super(contract);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Asia/Tokyo", "America/Los_Angeles", "Asia/Kathmandu"})
    void instants_do_not_depend_on_the_zone_of_the_node(String zone) { // F040, F041
        UUID inUtc = inZone("UTC", this::full);

        assertThat(inZone(zone, () -> row(inUtc))).isEqualTo(inZone("UTC", () -> row(inUtc)));
        assertThat(inZone(zone, () -> store().history(inUtc))).isEqualTo(inZone("UTC", () -> store().history(inUtc)));
        assertThat(inZone(zone, () -> store().compensations(inUtc)))
                .isEqualTo(inZone("UTC", () -> store().compensations(inUtc)));
        UUID there = inZone(zone, this::full);
        assertThat(Duration.between(row(inUtc).createdAt(), row(there).createdAt())
                        .abs())
                .isLessThan(CLOCKS_DIFFER);
        assertThat(inZone(zone, () -> claim(10))).isEmpty();
    }

    @Test
    void instants_are_microseconds_about_now() { // F041
        UUID id = full();
        Instant now = Instant.now();

        assertThat(instants(id)).allSatisfy(instant -> {
            assertThat(instant).isEqualTo(instant.truncatedTo(ChronoUnit.MICROS));
            assertThat(Duration.between(now, instant).abs()).isLessThan(LONG.plus(CLOCKS_DIFFER));
        });
        assertThat(Duration.between(row(id).createdAt(), now).abs()).isLessThan(CLOCKS_DIFFER);
        assertThat(Duration.between(row(id).updatedAt(), now).abs()).isLessThan(CLOCKS_DIFFER);
    }

    @Test
    void durations_count_from_the_write() {
        UUID id = startedByA();
        InstanceRow row = row(id);

        assertThat(Duration.between(row.createdAt(), dueAt(id))).isBetween(LONG.minusSeconds(5), LONG.plusSeconds(5));
    }

    @Test
    void a_delay_of_a_century_is_kept() { // F175
        UUID id = startedByA();
        Duration century = Duration.ofDays(36_525);

        submit(write(id, 1, 0, SagaStatus.RUNNING, Hold.release(century)));

        assertThat(Duration.between(row(id).updatedAt(), dueAt(id)))
                .isBetween(century.minusSeconds(5), century.plusSeconds(5));
    }

    /** A saga with every instant that there is. */
    private UUID full() {
        NewInstance saga = new NewInstance(
                UUID.randomUUID(), definition, null, HASH, SagaStatus.RUNNING, STEPS, "1", 1, LONG, LEASE_A);
        insert(saga);
        submit(write(saga.sagaId(), 1, 0, succeeded("step", "1")));
        submit(write(
                saga.sagaId(),
                1,
                1,
                new CompensationEntry("step", 1, CompensationEntry.Status.WAITING, 1, LONG, null, null, "no")));
        return saga.sagaId();
    }

    private List<Instant> instants(UUID id) {
        InstanceRow row = row(id);
        CompensationRow compensation = store().compensations(id).get(0);
        HistoryRow line = store().history(id).get(0);
        return Stream.of(
                        row.createdAt(),
                        row.updatedAt(),
                        row.dueAt(),
                        row.deadline(),
                        line.startedAt(),
                        compensation.createdAt(),
                        compensation.updatedAt(),
                        compensation.nextRetryAt())
                .map(Objects::requireNonNull)
                .toList();
    }

    private static <T> T inZone(String zone, Supplier<T> what) {
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        try {
            return what.get();
        } finally {
            TimeZone.setDefault(before);
        }
    }
}
