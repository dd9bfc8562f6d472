package io.backstep.saga.serialization;

import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.Shown;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

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
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /**
     * Writes a value.
     *
     * @param what what it is, for the message: "the input of place-order"
     * @param value the value
     * @return JSON on one line, without characters that a database would refuse
     * @throws SagaSerializationException {@code SAGA-SER-001} when it cannot be written, {@code SAGA-SER-003} when it is too large
     */
    public String write(String what, @Nullable Object value) {
        String json = written(what, value);
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
        try {
            return mapper.readValue(json, mapper.constructType(type));
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            // whatever a constructor of the application throws
            throw new SagaSerializationException(
                    "SAGA-SER-002", what + " cannot be read as " + type.getTypeName() + ": " + reason(e), e);
        }
    }

    /**
     * Tells one value from another, whatever the order of its properties.
     *
     * @param json what was written
     * @return SHA-256 of the canonical form, 64 hexadecimal digits
     */
    public String hash(String json) {
        String canonical = mapper.writeValueAsString(sorted(exact(json)));
        return HexFormat.of().formatHex(sha256().digest(canonical.getBytes(StandardCharsets.UTF_8)));
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

    private String written(String what, @Nullable Object value) {
        try {
            String json = mapper.writeValueAsString(value);
            return storable(json) ? json : escaped(value);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            throw new SagaSerializationException("SAGA-SER-001", what + " cannot be written as JSON: " + reason(e), e);
        } catch (StackOverflowError e) {
            throw new SagaSerializationException("SAGA-SER-001", what + " refers to itself", e);
        }
    }

    private String escaped(@Nullable Object value) {
        return mapper.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII).writeValueAsString(value);
    }

    private static boolean storable(String json) {
        return json.codePoints().noneMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE);
    }

    private static String reason(Throwable e) {
        String original = e instanceof JacksonException jackson ? jackson.getOriginalMessage() : e.getMessage();
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

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
