package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.Step;
import io.backstep.saga.TypeRef;
import io.backstep.saga.definition.SagaDefinition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.ToStringSerializer;

/** Types that Jackson refuses, whatever the value, are refused when the definition is registered. */
class StoredTypesTest extends EngineFixture {
    /** Would be stored as {@code {}}. */
    public static class Blank {
        private String secret = "";

        @Override
        public String toString() {
            return secret;
        }

        void tell(String said) {
            secret = said;
        }
    }

    public static final class StillBlank extends Blank {}

    public static final class Closed {
        private final String secret;

        private Closed(String first, String second) {
            this.secret = first + second;
        }

        static Closed with(String text) {
            return new Closed(text, text);
        }

        public String getSecret() {
            return secret;
        }
    }

    public abstract static class Half {
        public String text = "";
    }

    interface Some {
        String text();
    }

    private static SagaDefinition<Input> giving(Step<?> step) {
        return define().step(step)
                .action(c -> {
                    throw new IllegalStateException("not called");
                })
                .noCompensation("nothing")
                .build();
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments(Step.named("odd", Blank.class), "Blank, of which nothing would be written"),
                arguments(Step.named("odd", StillBlank.class), "StillBlank, of which nothing would be written"),
                arguments(Step.named("odd", new TypeRef<List<Blank>>() {}), "Blank, of which nothing would be written"),
                arguments(Step.named("odd", new TypeRef<Map<String, Blank>>() {}), "Blank, of which nothing"),
                arguments(Step.named("odd", Closed.class), "Closed, which cannot be read back: it has no constructor"),
                arguments(Step.named("odd", Half.class), "Half, which cannot be read back: it is abstract"),
                arguments(Step.named("odd", Some.class), "Some, which cannot be read back: it is abstract"),
                arguments(Step.named("odd", Boxed.class), "Boxed.some, which cannot be read back: it is abstract"),
                arguments(
                        Step.named("odd", Nested.class),
                        "Nested.boxed.some, which cannot be read back: it is abstract"),
                arguments(Step.named("odd", Sealed.class), "Sealed.inner, of which nothing would be written"),
                arguments(Step.named("odd", Many.class), "Many.all, which cannot be read back: it is abstract"),
                arguments(Step.named("odd", Perhaps.class), "Perhaps.one, which cannot be read back: it is abstract"),
                arguments(Step.named("odd", new TypeRef<Map<Pair, String>>() {}), "which Jackson refuses"),
                arguments(Step.named("odd", ByClass.class), "ByClass takes the class of a value from the data"), // S1
                arguments(
                        Step.named("odd", ByShortClass.class), "ByShortClass takes the class of a value from the data"),
                arguments(Step.named("odd", Holder.class), "Object takes the class of a value from the data"),
                arguments(Step.named("odd", new TypeRef<List<ByClass>>() {}), "ByClass takes the class of a value"));
    }

    record Pair(int one, int other) {}

    record Boxed(Some some) {}

    record Nested(Boxed boxed) {}

    record Sealed(Blank inner) {}

    record Many(Map<String, List<Some>> all) {}

    record Perhaps(Optional<Half> one) {}

    /** The data would say what class to load. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    sealed interface ByClass permits One {}

    record One(String text) implements ByClass {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS)
    interface ByShortClass {}

    record Holder(@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Object held) {}

    @ParameterizedTest // D17
    @MethodSource("refused")
    void a_type_that_cannot_be_stored_is_refused_when_its_definition_is_registered(Step<?> step, String fault) {
        assertThatThrownBy(() -> node(giving(step)))
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageContaining("SAGA-DSL-017: step odd of saga test v1 has as its result ")
                .hasMessageContaining(fault);
    }

    record Nothing() {}

    public static final class Mark {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    interface Told {}

    public static final class Word {
        private final String word;

        private Word(String word) {
            this.word = word;
        }

        @JsonCreator
        static Word of(String word) {
            return new Word(word);
        }

        @JsonValue
        String word() {
            return word;
        }
    }

    public static final class Ignored {
        @JsonIgnore
        private int count;

        void up() {
            count++;
        }

        @Override
        public String toString() {
            return "" + count;
        }
    }

    enum Color {
        RED
    }

    record Text(String text) implements Some {}

    record Linked(int value, Linked next, List<Linked> all) {}

    /** Each says how to read a value whose type does not tell. */
    record Explained(
            @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(Text.class))
            Some one,

            @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(Text.class))
            List<Some> all,

            @JsonDeserialize(as = Text.class) Some text,
            @JsonDeserialize(contentAs = Text.class) Map<Color, Some> texts,
            List<Told> told,
            Object any) {}

    /** What it owns cannot be read, and is left out here. */
    record Owned(
            @JsonIgnoreProperties("owner") Account account,
            @JsonSerialize(using = ToStringSerializer.class) Sku sku) {}

    record Account(int number, Some owner) {}

    /** Read from a text, written as one. */
    static final class Sku {
        private final String text;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Sku(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Read from a text; what it keeps besides is not read. */
    static final class Parsed {
        private final String text;
        private Some some = new Text("");

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Parsed(String text) {
            this.text = text;
        }

        @JsonValue
        String text() {
            return text;
        }

        public Some getSome() {
            return some;
        }

        public void setSome(Some some) {
            this.some = some;
        }
    }

    static Stream<Step<?>> allowed() {
        return Stream.of(
                Step.named("fine", Nothing.class),
                Step.named("fine", Mark.class),
                Step.named("fine", Told.class),
                Step.named("fine", Word.class),
                Step.named("fine", Ignored.class),
                Step.named("fine", Linked.class),
                Step.named("fine", Explained.class),
                Step.named("fine", Owned.class),
                Step.named("fine", Parsed.class),
                Step.named("fine", Color.class),
                Step.named("fine", CharSequence.class),
                Step.named("fine", Number.class),
                Step.named("fine", int[].class),
                Step.named("fine", new TypeRef<Optional<Word>>() {}),
                Step.named("fine", new TypeRef<Map<Color, List<Nothing>>>() {}),
                Step.named("fine", new TypeRef<Map<String, Object>>() {}),
                Step.named("fine", ResultsTest.Everything.class));
    }

    @ParameterizedTest
    @MethodSource("allowed")
    void a_type_that_can_be_stored_is_not(Step<?> step) {
        assertThatCode(() -> node(giving(step))).doesNotThrowAnyException();
    }
}
