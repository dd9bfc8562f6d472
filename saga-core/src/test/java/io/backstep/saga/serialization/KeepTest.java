package io.backstep.saga.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.TypeRef;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is kept reads back as it was. */
class KeepTest {
    private final Json json = new Json();

    /** Has no equals. */
    public static final class Bag {
        public Set<String> words = new LinkedHashSet<>();
        public List<Integer> numbers = new ArrayList<>();
        public Map<String, Object> more = Map.of();
        public byte[] bytes = {1, 2};
        public double measure = Double.NaN;
        public Object anything = 0.1f;
    }

    record Bytes(byte[] bytes) {}

    /** Is another at each look. */
    public static final class Ticking {
        private static int ticks;

        public int left() {
            return ++ticks;
        }

        public int getLeft() {
            return left();
        }
    }

    /** Its equals never ends, as that of objects that refer to each other. */
    public static final class Endless {
        public String name = "a";

        @Override
        @SuppressWarnings("InfiniteRecursion")
        public boolean equals(Object other) {
            return other instanceof Endless && other.equals(this);
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    /** Of which a subclass may have more. */
    public static class Page<T> {
        public List<T> items = List.of();
    }

    public static final class NumberedPage<T> extends Page<T> {
        public int number = 7;
    }

    @Test
    void a_subclass_of_a_generic_class_is_not_cut() {
        Type type = new TypeRef<Page<String>>() {}.type();

        assertThatCode(() -> json.keep("it", new Page<String>(), type)).doesNotThrowAnyException();
        assertThatThrownBy(() -> json.keep("it", new NumberedPage<String>(), type))
                .isInstanceOf(SagaSerializationException.class)
                .hasMessageContaining("it differs at \"/number\"");
    }

    static Stream<Arguments> kept() {
        Bag bag = new Bag();
        IntStream.range(0, 100).forEach(i -> bag.words.add("word " + (i * 7919 % 100)));
        bag.numbers.addAll(List.of(3, 1, 2));
        bag.more = Map.of("amount", new BigDecimal("1.10"), "long", 5L, "large", 1e20);
        return Stream.of(
                arguments(bag, Bag.class),
                arguments(new Bytes(new byte[] {0, -1}), Bytes.class),
                arguments(5, int.class),
                arguments(new Ticking(), Ticking.class),
                arguments(new Endless(), Endless.class),
                arguments(Map.of("a", 5L), new TypeRef<Map<String, Object>>() {}.type()),
                arguments(Optional.empty(), new TypeRef<Optional<String>>() {}.type()),
                arguments(List.of(1, 2), new TypeRef<List<Integer>>() {}.type()),
                arguments("a\u0000\uD800", String.class));
    }

    @ParameterizedTest
    @MethodSource("kept")
    void what_loses_nothing_is_kept_though_it_may_not_be_equal(Object value, Type type) {
        assertThatCode(() -> json.keep("it", value, type)).doesNotThrowAnyException();
    }

    @Test
    void the_copy_is_another_object() {
        Bag bag = new Bag();
        assertThat(json.keep("it", bag, Bag.class).copy())
                .isInstanceOf(Bag.class)
                .isNotSameAs(bag);
    }

    /** Reads its list the wrong way round once more, its amount without cents, and nothing of its note. */
    public static final class Lossy {
        public List<Integer> list = new ArrayList<>();
        public Map<String, Integer> inner = new java.util.TreeMap<>();
        private BigDecimal amount = BigDecimal.ZERO;
        private String said = "";

        public BigDecimal getAmount() {
            return amount;
        }

        public void setAmount(BigDecimal amount) {
            this.amount = amount.setScale(0, java.math.RoundingMode.DOWN);
        }

        public String getNote() {
            return said;
        }

        static Lossy of(String amount, String note) {
            Lossy lossy = new Lossy();
            lossy.amount = new BigDecimal(amount);
            lossy.said = note;
            return lossy;
        }
    }

    record Outer(List<Lossy> inside) {}

    static Stream<Arguments> lost() {
        return Stream.of(
                arguments(Lossy.of("1.10", ""), Lossy.class, "\"/amount\""),
                arguments(Lossy.of("1.00", "n"), Lossy.class, "\"/note\""),
                arguments(new Outer(List.of(Lossy.of("1", ""), Lossy.of("1", "n"))), Outer.class, "\"/inside/1/note\""),
                arguments(List.of("x"), String.class, "is a java.util.ImmutableCollections"),
                arguments(
                        Map.of("a", new BigDecimal("0.12345678901234567890")),
                        new TypeRef<Map<String, Object>>() {}.type(),
                        "\"/a\""));
    }

    @ParameterizedTest
    @MethodSource("lost")
    void what_loses_data_is_refused_with_the_place(Object value, Type type, String place) {
        assertThatThrownBy(() -> json.keep("it", value, type))
                .isInstanceOf(SagaSerializationException.class)
                .hasMessageStartingWith("SAGA-SER-006: it ")
                .hasMessageContaining(place);
    }

    @Test
    void many_elements_in_another_order_are_compared_quickly() {
        Bag bag = new Bag();
        IntStream.range(0, 50_000).forEach(i -> bag.words.add("w" + (i * 7919 % 50_000)));
        assertThatCode(() -> json.keep("it", bag, Bag.class)).doesNotThrowAnyException();
    }
}
