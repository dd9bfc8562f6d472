package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.HistoryRow;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists, page by page. */
abstract class ListCases extends ListRows {
    ListCases(SagaStoreContract contract) {
        super(contract);
    }

    // --- what is shown

    @ParameterizedTest
    @EnumSource(SagaStatus.class)
    void a_saga_is_shown_as_its_row_is(SagaStatus status) {
        NewInstance saga = saga(UUID.randomUUID(), definition, "key", SagaStatus.RUNNING, LEASE_A);
        InstanceRow row = row(written(saga, status));

        assertThat(store().list(all()))
                .containsExactly(new InstanceSummary(
                        row.sagaId(),
                        row.name(),
                        row.version(),
                        row.businessKey(),
                        row.status(),
                        row.reason(),
                        row.owner(),
                        row.dueAt(),
                        row.createdAt(),
                        row.updatedAt()));
    }

    @Test
    void an_owner_and_a_version_are_shown() {
        RegisteredDefinition second = register(definition.name(), 2);
        inserted(owned(LEASE_A));
        inserted(saga(UUID.randomUUID(), second, null, SagaStatus.RUNNING, LEASE_B));

        assertThat(store().list(all()))
                .extracting(InstanceSummary::version, InstanceSummary::owner)
                .containsExactlyInAnyOrder(tuple(1, LEASE_A.owner()), tuple(2, LEASE_B.owner()));
    }

    // --- order and pages

    @Test
    void ids_are_compared_byte_by_byte() {
        long random = UUID.randomUUID().getLeastSignificantBits() >>> 8;
        long high = 0x0000_7fff_ffff_7000L;
        List<UUID> rising = List.of(
                withId(0x0000_0000_0000_0000L | random, 1),
                withId(high | (random & 0xfff), 0x0123_4567_89ab_cdefL),
                withId(high | (random & 0xfff), 0x7fff_ffff_ffff_ffffL),
                withId(high | (random & 0xfff), 0x8000_0000_0000_0000L),
                withId(high | (random & 0xfff), 0xffff_ffff_ffff_fffeL),
                withId(0x7f00_0000_0000_0000L | random, 2),
                withId(0x8000_0000_0000_0000L | random, 3),
                withId(0xff00_0000_0000_0000L | random, 4));
        List<UUID> falling = rising.stream()
                .sorted(Comparator.comparing(ListCases::hex).reversed())
                .toList();

        assertThat(ids(all())).isEqualTo(falling);
        for (int i = 0; i < falling.size(); i++) {
            ListQuery after = new ListQuery(null, definition.name(), null, null, null, null, falling.get(i), 100);
            assertThat(ids(after)).isEqualTo(falling.subList(i + 1, falling.size()));
        }
    }

    @Test
    void pages_of_a_thousand_leave_out_nothing_and_show_nothing_twice_while_others_start() {
        List<UUID> there = new ArrayList<>();
        for (int batch = 0; batch < 10; batch++) {
            List<NewInstance> sagas =
                    IntStream.range(0, 100).mapToObj(number -> unowned()).toList();
            insertAll(sagas);
            sagas.forEach(saga -> there.add(saga.sagaId()));
        }
        List<UUID> seen = new ArrayList<>();
        Set<UUID> late = new HashSet<>();

        UUID last = null;
        List<UUID> page = List.of(UUID.randomUUID());
        while (!page.isEmpty()) {
            page = ids(new ListQuery(null, definition.name(), null, null, null, null, last, 37));
            assertThat(page).hasSizeLessThanOrEqualTo(37);
            seen.addAll(page);
            last = page.isEmpty() ? last : page.get(page.size() - 1);
            late.add(due());
        }

        assertThat(seen)
                .isSortedAccordingTo(Comparator.comparing(ListCases::hex).reversed());
        assertThat(seen).doesNotHaveDuplicates().containsAll(there);
        assertThat(seen.stream().filter(id -> !late.contains(id))).hasSize(1000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void no_page_is_longer_than_asked_for(int limit) {
        due();
        due();
        due();

        assertThat(ids(new ListQuery(null, definition.name(), null, null, null, null, null, limit)))
                .hasSize(limit);
    }

    // --- a part of the history

    @Test
    void the_history_is_read_in_parts() {
        UUID id = startedByA();
        for (int i = 0; i < 5; i++) {
            submit(write(id, 1, i, succeeded("a" + i, null), succeeded("b" + i, null), succeeded("c" + i, null)));
        }
        List<HistoryRow> seen = new ArrayList<>();

        List<HistoryRow> part = store().history(id, null, 4);
        while (!part.isEmpty()) {
            assertThat(part).hasSizeLessThanOrEqualTo(4);
            seen.addAll(part);
            part = store().history(id, part.get(part.size() - 1).place(), 4);
        }

        assertThat(seen).isEqualTo(store().history(id)).hasSize(15);
        assertThat(store().history(id, new HistoryRow.Place(2, 7), 1).get(0).place())
                .isEqualTo(new HistoryRow.Place(3, 0));
        assertThat(store().history(UUID.randomUUID(), null, 10)).isEmpty();
    }
}
