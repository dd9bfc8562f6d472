package io.backstep.saga.serialization;

import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.Shown;
import io.backstep.saga.Thrown;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.BeanSerializerFactory;

/**
 * The library's own JSON: inputs and results of sagas, independent of how the application sets up its mapper. The type always
 * comes from the definition, never from the data. Safe for use by many threads.
 */
public final class Json {
    /** The version of the format that is written. */
    public static final int FORMAT = 1;

    /** The most bytes that a value may have as UTF-8. */
    public static final int MAX_BYTES = 1 << 20;

    private static final int MAX_DEPTH = 100;

    private final boolean quotes;

    private final JsonMapper mapper = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxNumberLength(100)
                            .maxStringLength(MAX_BYTES)
                            .maxDocumentLength(MAX_BYTES)
                            .build())
                    .streamWriteConstraints(StreamWriteConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .build())
            .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
            .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS) // what is empty may be: BlankBeans
            .serializerFactory(BeanSerializerFactory.instance.withSerializerModifier(new BlankBeans()))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(
                    DeserializationFeature
                            .FAIL_ON_NULL_FOR_PRIMITIVES) // a row may be older than a component: then it is 0
            .polymorphicTypeValidator(new NoClassNames())
            .build();

    /** JSON whose messages say what Jackson said, which may quote a value. */
    public Json() {
        this(true);
    }

    Json(boolean quotes) {
        this.quotes = quotes;
    }

    /**
     * Writes a value.
     *
     * @param what what it is, for the message: "the input of place-order"
     * @param value the value
     * @return JSON on one line, without characters that a database would refuse
     * @throws SagaSerializationException {@code SAGA-SER-001} when it cannot be written, {@code SAGA-SER-003} when it is too large
     */
    public String write(String what, @Nullable Object value) {
        return bounded(what, written(what, value, mapper.writer()));
    }

    /**
     * Writes a value that will be read as a type, and reads it back at once: what would not come back the same is refused while its
     * owner is there to hear of it.
     *
     * @param what what it is, for the message
     * @param value the value
     * @param type the full type that the definition names
     * @return what was written, and what it reads as
     * @throws SagaSerializationException {@code SAGA-SER-001} when it cannot be written, {@code SAGA-SER-003} when it is too large,
     *     {@code SAGA-SER-006} when it cannot be read back, or reads back with data missing or changed
     */
    public Kept keep(String what, Object value, Type type) {
        if (!isA(type, value)) {
            throw new SagaSerializationException(
                    "SAGA-SER-006", what + " is a " + value.getClass().getName() + ", not a " + type.getTypeName());
        }
        ObjectWriter writer = writer(type, value);
        String json = bounded(what, written(what, value, writer));
        Object copy = read("SAGA-SER-006", what + " is written, but cannot be read back as ", json, type);
        if (!isEqual(value, copy)) {
            difference(what, json, written(what, copy, writer))
                    .filter(place -> difference(what, json, written(what, value, writer))
                            .isEmpty()) // else it never is the same, as with a getter of the time that is left
                    .ifPresent(place -> {
                        throw new SagaSerializationException(
                                "SAGA-SER-006",
                                what + " would not read back the same as " + type.getTypeName() + ": it differs"
                                        + (quotes ? " at " + Shown.quoted(place) : ""));
                    });
        }
        return new Kept(json, copy);
    }

    private Optional<String> difference(String what, String json, String again) {
        try {
            return Difference.between(exact(json), exact(again));
        } catch (JacksonException e) {
            throw new SagaSerializationException("SAGA-SER-006", what + " cannot be compared: " + reason(e), cause(e));
        }
    }

    /**
     * Tells whether a value is of a type, as far as its class tells.
     *
     * @param type the full type
     * @param value the value
     * @return false when it is of another class
     */
    public boolean isA(Type type, Object value) {
        Class<?> raw = mapper.constructType(type).getRawClass();
        return MethodType.methodType(raw).wrap().returnType().isInstance(value);
    }

    /**
     * What Jackson would refuse about a type, before there is any value of it.
     *
     * @param type the full type
     * @return what is wrong with it, if anything is, to follow "has as its input "
     */
    public Optional<String> fault(Type type) {
        return new TypeProbe(mapper).fault(type);
    }

    /** Elements of a generic type tell their class only to a writer that knows the type; but it leaves out what a subclass has. */
    private ObjectWriter writer(Type type, Object value) {
        JavaType full = mapper.constructType(type);
        boolean whole = full.isContainerType() || full.isReferenceType() || full.getRawClass() == value.getClass();
        return type instanceof ParameterizedType && whole ? mapper.writerFor(full) : mapper.writer();
    }

    private static boolean isEqual(Object value, @Nullable Object copy) {
        try {
            return value.equals(copy);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            return false; // whatever the application's code throws
        }
    }

    private static String bounded(String what, String json) {
        int bytes = json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new SagaSerializationException(
                    "SAGA-SER-003", what + " has " + bytes + " bytes as JSON; allowed are " + MAX_BYTES);
        }
        return json;
    }

    /**
     * Reads a value.
     *
     * @param what what it is, for the message
     * @param json what was written
     * @param type the full type
     * @return the value, or null for JSON's null
     * @throws SagaSerializationException {@code SAGA-SER-002} when it cannot be read
     */
    public @Nullable Object read(String what, String json, Type type) {
        return read("SAGA-SER-002", what + " cannot be read as ", json, type);
    }

    private @Nullable Object read(String code, String fault, String json, Type type) {
        try {
            return mapper.readValue(json, mapper.constructType(type));
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            // whatever a constructor of the application throws
            throw new SagaSerializationException(code, fault + type.getTypeName() + ": " + reason(e), cause(e));
        }
    }

    /**
     * Tells one value from another, whatever the order of its properties.
     *
     * @param json what was written
     * @return SHA-256 of the canonical form, 64 hexadecimal digits
     */
    public String hash(String json) {
        return HexFormat.of().formatHex(sha256().digest(canonical(json)));
    }

    /** The same for equal values, whatever the order of their properties. */
    byte[] canonical(String json) {
        return mapper.writeValueAsString(sorted(exact(json))).getBytes(StandardCharsets.UTF_8);
    }

    /** Two inputs that differ in the last digit differ. */
    private JsonNode exact(String json) {
        return mapper.reader()
                .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .readTree(json);
    }

    JsonMapper mapper() {
        return mapper;
    }

    private String written(String what, @Nullable Object value, ObjectWriter writer) {
        try {
            String json = writer.writeValueAsString(value);
            return isStorable(json)
                    ? json
                    : writer.with(JsonWriteFeature.ESCAPE_NON_ASCII).writeValueAsString(value);
        } catch (Exception | LinkageError | AssertionError e) {
            throw new SagaSerializationException(
                    "SAGA-SER-001", what + " cannot be written as JSON: " + reason(e), cause(e));
        } catch (StackOverflowError e) {
            throw new SagaSerializationException("SAGA-SER-001", what + " refers to itself", e);
        }
    }

    /**
     * Tells whether every database can store a text.
     *
     * @param text any
     * @return false when it has U+0000 or a lone surrogate
     */
    public static boolean isStorable(String text) {
        int i = 0;
        while (i < text.length()) {
            int c = text.codePointAt(i); // of a lone surrogate that itself
            if (c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
                return false;
            }
            i += Character.charCount(c);
        }
        return true;
    }

    private @Nullable Throwable cause(Throwable e) {
        return quotes ? e : null;
    }

    private String reason(Throwable e) {
        if (!quotes) {
            Class<?> target = e instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
            return e.getClass().getName() + (target == null ? "" : " at a " + target.getName());
        }
        String original = e instanceof JacksonException jackson ? jackson.getOriginalMessage() : Thrown.message(e);
        return Shown.line(String.valueOf(original), 200);
    }

    private JsonNode sorted(JsonNode node) {
        if (node instanceof ObjectNode object) {
            Map<String, JsonNode> properties = new TreeMap<>();
            object.properties().forEach(entry -> properties.put(entry.getKey(), sorted(entry.getValue())));
            ObjectNode copy = mapper.createObjectNode();
            properties.forEach(copy::set);
            return copy;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode copy = mapper.createArrayNode();
            array.forEach(element -> copy.add(sorted(element)));
            return copy;
        }
        return node;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
