package io.backstep.saga.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Texts come back as they were handed in, or are refused. */
abstract class TextCases extends StoreCases {
    TextCases(SagaStoreContract contract) {
        super(contract);
    }

    /** Texts that every database keeps. */
    static Stream<String> odd() {
        return Stream.of(
                "",
                " ",
                "null",
                "'; drop table saga_instance; --",
                "\"quoted\" 'twice' `thrice` $$dollars$$ \\N \\u0041 {?} :name ? ?? %s",
                "a\nb\r\nc\td",
                "\u0001\u0008\u001b[31m\u007f\u0085\u2028\ufeff",
                "\u00e4 a\u0308 \u05d0\u05d1\u202e \ud83d\ude00 \ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67 \u6f22",
                "trailing spaces   ",
                "e\u0301\u00e9\ud83d\ude00'".repeat(20_000));
    }

    /** Texts that some databases refuse. */
    static Stream<String> impossible() {
        return Stream.of("a\u0000b", "\u0000", "a\ud83db", "\ude00", "ends with half a pair \ud83d");
    }

    @ParameterizedTest
    @MethodSource("odd")
    void history_keeps_odd_texts(String text) { // F031, F034
        UUID id = startedByA();
        HistoryEntry line = line("step", Phase.ACTION, Outcome.FAILED, text, text);

        assertThat(submit(write(id, 1, 0, line))).isEqualTo(Acceptance.ACCEPTED);

        assertThat(store().history(id).get(0).entry().equals(line)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("odd")
    void the_compensation_log_keeps_odd_texts(String text) { // F031, F034
        UUID id = startedByA();
        CompensationEntry entry =
                new CompensationEntry("step", 1, CompensationEntry.Status.FAILED, 9, null, text, text, text);

        assertThat(submit(write(id, 1, 0, entry))).isEqualTo(Acceptance.ACCEPTED);

        assertThat(store().compensations(id).get(0).entry().equals(entry)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("odd")
    void a_saga_keeps_odd_texts(String text) { // F034
        NewInstance saga = saga(text, null);

        assertThat(insert(saga).kind()).isEqualTo(InsertResult.Kind.INSERTED);

        assertThat(row(saga.sagaId()).input().equals(text)).isTrue();
        assertThat(row(saga.sagaId()).steps().equals(text)).isTrue();
        Mutation write = new Mutation(
                new Fence(saga.sagaId(), 0, 0), SagaStatus.RUNNING, null, text + "'", Hold.KEEP, List.of(), List.of());
        assertThat(submit(write)).isEqualTo(Acceptance.ACCEPTED);
        assertThat(row(saga.sagaId()).steps().equals(text + "'")).isTrue();
    }

    @ParameterizedTest
    @MethodSource("impossible")
    void a_start_with_an_impossible_text_is_refused_alone_or_kept(String text) { // F034
        NewInstance input = saga(text, null);
        NewInstance key = saga("1", text);
        NewInstance neighbour = unowned();

        List<InsertResult> results = insertAll(List.of(input, key, neighbour));

        assertThat(results.get(2)).isEqualTo(InsertResult.INSERTED);
        assertThat(results.subList(0, 2))
                .extracting(InsertResult::kind)
                .containsAnyOf(InsertResult.Kind.REFUSED, InsertResult.Kind.INSERTED)
                .doesNotContain(InsertResult.Kind.EXISTS, InsertResult.Kind.EXISTS_UNSEEN);
        assertThat(store().find(input.sagaId()).map(InstanceRow::input).orElse(text))
                .isEqualTo(text);
        assertThat(store().find(key.sagaId()).map(InstanceRow::businessKey).orElse(text))
                .isEqualTo(text);
        assertThat(store().find(input.sagaId()).isPresent())
                .isEqualTo(results.get(0).kind() == InsertResult.Kind.INSERTED);
    }

    @ParameterizedTest
    @MethodSource("impossible")
    void a_write_with_an_impossible_text_is_refused_alone_or_kept(String text) { // F034
        UUID first = startedByA();
        UUID odd = startedByA();
        UUID last = startedByA();
        InstanceRow before = row(odd);
        HistoryEntry line = line("step", Phase.ACTION, Outcome.FAILED, null, text);

        List<Acceptance> answers = submitAll(
                write(first, 1, 0, succeeded("step", "1")),
                write(odd, 1, 0, succeeded("step", "2"), line),
                write(last, 1, 0, succeeded("step", "3")));

        assertThat(List.of(answers.get(0), answers.get(2))).containsOnly(Acceptance.ACCEPTED);
        assertThat(store().history(first)).hasSize(1);
        assertThat(store().history(last)).hasSize(1);
        if (answers.get(1).kind() == Acceptance.Kind.REFUSED) {
            assertThat(answers.get(1).cause()).isNotNull();
            assertThat(row(odd)).isEqualTo(before);
            assertThat(store().history(odd)).isEmpty();
        } else {
            assertThat(answers.get(1)).isEqualTo(Acceptance.ACCEPTED);
            assertThat(store().history(odd).get(1).entry()).isEqualTo(line);
        }
    }

    @Test
    void after_a_refusal_the_same_fence_still_holds() { // F031
        UUID id = startedByA();
        Acceptance odd = submit(write(id, 1, 0, line("step", Phase.ACTION, Outcome.FAILED, null, "\u0000")));
        long seq = odd.kind() == Acceptance.Kind.REFUSED ? 0 : 1;

        assertThat(submit(write(id, 1, seq, line("step", Phase.ACTION, Outcome.FAILED, null, "cleaned"))))
                .isEqualTo(Acceptance.ACCEPTED);
    }

    @Test
    void a_result_of_a_megabyte_comes_back_whole() {
        UUID id = startedByA();
        String result = "\"" + "0123456789abcde\u00e9".repeat(65_536) + "\"";
        submit(write(id, 1, 0, succeeded("step", result)));
        contract.age(id, LONG.plusSeconds(1));

        Map<String, String> results = claim(1).get(0).results();

        assertThat(result.equals(results.get("step"))).isTrue();
    }

    @Test
    void an_empty_text_is_not_nothing() {
        UUID id = startedByA();
        submit(write(
                id,
                1,
                0,
                line("empty", Phase.ACTION, Outcome.SUCCEEDED, "", ""),
                line("nothing", Phase.ACTION, Outcome.SUCCEEDED, null, null)));

        assertThat(store().history(id)).extracting(row -> row.entry().result()).containsExactly("", null);
    }

    @Test
    void a_history_line_keeps_all_it_says() {
        UUID id = startedByA();
        HistoryEntry line = new HistoryEntry(
                "s".repeat(100),
                Phase.COMPENSATION,
                2_000_000_000,
                Outcome.REJECTED,
                SagaReason.ATTEMPTS_EXHAUSTED,
                "{}",
                "com.example." + "Outer$".repeat(20) + "Failure",
                "text",
                Duration.ofDays(400).plusMillis(1),
                "n".repeat(100));

        submit(write(id, 1, 0, line));

        assertThat(store().history(id).get(0).entry()).isEqualTo(line);
    }

    @Test
    void the_longest_key_is_kept() {
        String key = "\u6f22".repeat(200);

        insert(keyed(key));

        assertThat(store().find(definition.name(), key).map(InstanceRow::businessKey))
                .contains(key);
    }

    private NewInstance saga(String text, @Nullable String key) {
        return new NewInstance(UUID.randomUUID(), definition, key, HASH, SagaStatus.RUNNING, text, text, 1, null, null);
    }
}
