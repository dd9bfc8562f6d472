package io.backstep.saga.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaSerializationException;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data to JSON and back. */
class JsonTest {
    @Test
    void what_a_database_can_store_is_written_as_it_is() {
        assertThat(new Json().write("it", "é 漢 😀 end 😀")).isEqualTo("\"é 漢 😀 end 😀\"");
    }

    private final Json json = new Json();

    static Stream<Object> values() {
        return Stream.of(
                "",
                "é😀",
                "a\u0000b",
                "\u001f\u007f\u2028",
                Long.MAX_VALUE,
                Long.MIN_VALUE,
                (1L << 53) + 1,
                0.1,
                Double.MIN_VALUE,
                new BigDecimal("1.10"),
                new BigDecimal("1E+50"),
                new BigDecimal("12345678901234567890.123456789012345678901234567890"),
                new BigInteger("9".repeat(90)),
                Instant.parse("2026-03-29T01:30:00.123456789Z"),
                Instant.MIN,
                LocalDateTime.parse("2026-03-29T01:30:00"),
                ZonedDateTime.parse("2026-10-25T01:30:00+01:00[Europe/London]"),
                Duration.ofSeconds(-1, 1),
                UUID.fromString("00000000-0000-7000-8000-000000000001"),
                Optional.of("x"),
                OptionalInt.of(7),
                Thread.State.BLOCKED);
    }

    @ParameterizedTest
    @MethodSource("values")
    void what_is_written_reads_the_same(Object value) { // F089
        Type type =
                value.getClass().isEnum() || !(value instanceof Enum<?> e) ? value.getClass() : e.getDeclaringClass();
        String text = json.write("value", value);
        Object read = json.read("value", text, type);
        assertThat(
                        value instanceof Optional<?>
                                ? Optional.of(String.valueOf(((Optional<?>) read).orElseThrow()))
                                : read)
                .isEqualTo(value);
        checkStorable(text);
    }

    private static void checkStorable(String text) {
        assertThat(text.codePoints().noneMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD800", "\uDC00", "a\uDBFFb", "\uDC00\uD800", "x\u0000\uD83D"})
    void lone_surrogates_survive_in_a_form_that_can_be_stored(String odd) { // F034
        String text = json.write("value", odd);
        checkStorable(text);
        assertThat(json.read("value", text, String.class)).isEqualTo(odd);
        assertThat(json.hash(text)).hasSize(64);
    }

    @Test
    void what_is_too_large_is_refused_with_its_size() { // D19
        assertThatThrownBy(() -> json.write("the result of step s", "é".repeat(600_000)))
                .isInstanceOf(SagaSerializationException.class)
                .hasMessageContaining("SAGA-SER-003")
                .hasMessageContaining("the result of step s has 1200002 bytes")
                .hasMessageContaining("1048576");
        assertThat(json.write("value", "x".repeat(Json.MAX_BYTES - 2))).hasSize(Json.MAX_BYTES);
    }

    @Test
    void the_largest_that_can_be_written_can_be_read() {
        String value = "x".repeat(Json.MAX_BYTES - 2);
        assertThat(json.read("value", json.write("value", value), String.class)).isEqualTo(value);
    }

    @Test
    void many_small_values_up_to_the_limit_can_be_read() {
        List<String> many = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            many.add("" + i);
        }
        assertThat(json.read("value", json.write("value", many), List.class)).isEqualTo(many);
    }

    public static final class Cyclic {
        public Cyclic self = this;
    }

    @Test
    void what_refers_to_itself_or_is_too_deep_is_refused() { // D17
        assertThatThrownBy(() -> json.write("value", new Cyclic()))
                .isInstanceOf(SagaSerializationException.class)
                .hasMessageContaining("SAGA-SER-001");
        Object deep = "x";
        for (int i = 0; i < 101; i++) {
            deep = List.of(deep);
        }
        Object tooDeep = deep;
        assertThatThrownBy(() -> json.write("value", tooDeep))
                .isInstanceOf(SagaSerializationException.class)
                .hasMessageContaining("SAGA-SER-001");
    }

    @Test
    void what_is_just_deep_enough_to_write_can_be_read_and_hashed() {
        Object deep = "x";
        for (int i = 0; i < 100; i++) {
            deep = List.of(deep);
        }
        String text = json.write("value", deep);
        assertThat(json.read("value", text, Object.class)).isEqualTo(deep);
        assertThat(json.hash(text)).hasSize(64);
    }

    public static final class Getter {
        public String value() {
            return "";
        }

        public String getBroken() {
            throw new AssertionError("no");
        }
    }

    @Test
    void a_getter_that_throws_is_a_refusal_too() {
        assertThatThrownBy(() -> json.write("value", new Getter()))
                .isInstanceOf(SagaSerializationException.class)
                .hasMessageContaining("SAGA-SER-001");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[", "nul", "{\"a\":}", "{} x", "\u0001", "1e999999999", "{\"text\":1,}", "NaN"})
    void what_is_not_json_is_refused(String text) { // X1
        assertThatThrownBy(() -> json.read("the input", text, Map.class))
                .isInstanceOf(SagaSerializationException.class)
                .hasMessageContaining("SAGA-SER-002")
                .hasMessageContaining("the input");
    }

    @Test
    void an_endless_number_is_refused_quickly() {
        assertThatThrownBy(() -> json.read("v", "1".repeat(1000), BigInteger.class))
                .isInstanceOf(SagaSerializationException.class);
        assertThatThrownBy(() -> json.read("v", "1e" + "9".repeat(50), BigInteger.class))
                .isInstanceOf(SagaSerializationException.class);
        assertThatThrownBy(() -> json.read("v", "\"x\"", InputStream.class))
                .isInstanceOf(SagaSerializationException.class);
    }

    @Test
    void a_message_never_shows_the_data() {
        assertThatThrownBy(() -> json.read("the input", "{\"card\":\"4111111111111111\"} x", Integer.class))
                .hasMessageNotContaining("4111");
        assertThatThrownBy(() -> json.read("the input", "{\"card\":4111111111111111", Map.class))
                .hasMessageNotContaining("4111");
    }

    record Point(int x, int y) {}

    record Grown(int x, @Nullable String text, int count, boolean checked, double share) {}

    @Test
    void components_that_an_older_row_lacks_are_null_zero_or_false() {
        Grown older = new Grown(1, null, 0, false, 0);
        assertThat(json.read("v", "{\"x\":1}", Grown.class)).isEqualTo(older);
        assertThat(json.read("v", "{\"x\":1,\"count\":null}", Grown.class)).isEqualTo(older);
    }

    @Test
    void unknown_properties_of_a_later_version_are_left_out() {
        assertThat(json.read("v", "{\"x\":1,\"z\":[1,{}],\"y\":2}", Point.class))
                .isEqualTo(new Point(1, 2));
    }

    @Test
    void a_class_name_in_the_data_is_only_data() { // S2
        String text = "{\"@class\":\"java.net.URL\",\"x\":1,\"y\":2,\"@type\":\"x\"}";
        assertThat(json.read("v", text, Point.class)).isEqualTo(new Point(1, 2));
        assertThat(json.read("v", text, Object.class)).isInstanceOf(Map.class);
    }

    @Test
    void the_hash_does_not_depend_on_the_order_of_properties() {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("a", 1);
        one.put("b", Map.of("c", 2));
        Map<String, Object> other = new TreeMap<>(Comparator.reverseOrder());
        other.putAll(one);
        assertThat(json.hash(json.write("v", one))).isEqualTo(json.hash(json.write("v", other)));
        assertThat(json.hash("[1,2]")).isNotEqualTo(json.hash("[2,1]"));
        assertThat(json.hash("{\"a\":1}")).isNotEqualTo(json.hash("{\"a\":2}"));
        assertThat(json.hash("9007199254740993")).isNotEqualTo(json.hash("9007199254740992"));
        assertThat(json.hash("1.0000000000000000001")).isNotEqualTo(json.hash("1.0"));
        assertThat(json.hash("\"1\"")).isNotEqualTo(json.hash("1"));
    }

    @Test
    void bytes_are_kept() {
        byte[] bytes = {0, 1, -1, 127, -128};
        assertThat(Arrays.equals((byte[]) json.read("v", json.write("v", bytes), byte[].class), bytes))
                .isTrue();
    }
}
