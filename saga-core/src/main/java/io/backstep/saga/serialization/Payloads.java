package io.backstep.saga.serialization;

import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.serialization.PayloadCodec.Encoded;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Payloads as they are stored: JSON, which no codec changes unless there is one. What a codec has encoded is {@code ~key-id:base64}, which no JSON
 * begins like. Safe for use by many threads.
 */
public final class Payloads {
    private static final Pattern ENCODED = Pattern.compile("~([A-Za-z0-9._-]{1,64}):([A-Za-z0-9_-]*)");
    private static final String UNREADABLE = "SAGA-SER-007";
    private static final String UNWRITABLE = "SAGA-SER-008";

    private final Json json;
    private final @Nullable PayloadCodec codec;

    /**
     * Makes them.
     *
     * @param codec what encodes, or null
     */
    public Payloads(@Nullable PayloadCodec codec) {
        this.json = new Json(codec == null);
        this.codec = codec;
    }

    /**
     * What reads and writes JSON.
     *
     * @return always the same
     */
    public Json json() {
        return json;
    }

    /**
     * Whether there is a codec: then texts that may quote an application's data belong in no log.
     *
     * @return false when everything is stored as it is
     */
    public boolean encodes() {
        return codec != null;
    }

    /**
     * Makes of a value what is stored, see {@link Json#keep}.
     *
     * @param field where it will be stored
     * @param what what it is, for the message
     * @param value the value
     * @param type the full type that the definition names
     * @return what is stored, and what it reads as
     * @throws SagaSerializationException as {@link Json#keep} says; {@code SAGA-SER-008} when the codec cannot encode it
     */
    public Kept keep(PayloadField field, String what, Object value, Type type) {
        Kept kept = json.keep(what, value, type);
        return codec == null || kept.result() == null ? kept : new Kept(encode(field, kept.json()), kept.copy());
    }

    /**
     * Makes of a value that somebody has written as JSON what is stored: as the type writes it.
     *
     * @param field where it will be stored
     * @param what what it is, for the message
     * @param json the value
     * @param type the full type that the definition names
     * @return what is stored
     * @throws SagaSerializationException {@code SAGA-SER-002} when it cannot be read as that type, or is null; else as {@link #keep} says
     */
    public String keepTold(PayloadField field, String what, String json, Type type) {
        Object value = this.json.read(what, json, type);
        if (value == null) {
            throw new SagaSerializationException("SAGA-SER-002", what + " is null");
        }
        return keep(field, what, value, type).json();
    }

    /**
     * What a result of a type is that is stored as one that is not there.
     *
     * @param type the full type
     * @return {@code Optional.empty()} and the like, or null for a type without such a value
     */
    public @Nullable Object nothing(Type type) {
        return json.read("nothing", Kept.NULL, type);
    }

    /**
     * Reads a value.
     *
     * @param field where it is stored
     * @param what what it is, for the message
     * @param stored what is stored
     * @param type the full type
     * @return the value, or null for JSON's null
     * @throws SagaSerializationException {@code SAGA-SER-002} when its JSON cannot be read, {@code SAGA-SER-007} when it cannot be decoded
     */
    public @Nullable Object read(PayloadField field, String what, String stored, Type type) {
        return json.read(what, decode(field, stored), type);
    }

    /**
     * Encodes a payload.
     *
     * @param field where it will be stored
     * @param plain JSON, or a text
     * @return what is stored
     * @throws SagaSerializationException {@code SAGA-SER-008} when the codec fails
     */
    public String encode(PayloadField field, String plain) {
        if (codec == null) {
            return plain;
        }
        Encoded encoded;
        try {
            encoded = codec.encode(field, plain.getBytes(StandardCharsets.UTF_8));
        } catch (Exception | LinkageError | AssertionError e) {
            throw new SagaSerializationException(
                    UNWRITABLE, field + " cannot be encoded: " + e.getClass().getName());
        }
        String stored = encoded == null ? plain : stored(encoded);
        if (encoded != null && keyId(stored) == null) {
            throw new SagaSerializationException(UNWRITABLE, field + " is encoded by a key whose id is not allowed");
        }
        return stored;
    }

    private static String stored(Encoded encoded) {
        return "~" + encoded.keyId() + ":"
                + Base64.getUrlEncoder().withoutPadding().encodeToString(encoded.bytes());
    }

    /**
     * Encodes the text of an error, unless it has been encoded by who brings it. When it cannot be encoded it is left out.
     *
     * @param field where it will be stored
     * @param text the text
     * @return what is stored
     */
    public String error(PayloadField field, String text) {
        try {
            return keyId(text) == null ? encode(field, text) : text;
        } catch (SagaSerializationException e) {
            return "(left out: " + e.code() + ")";
        }
    }

    /**
     * Decodes a payload.
     *
     * @param field where it is stored
     * @param stored what is stored
     * @return what was encoded
     * @throws SagaSerializationException {@code SAGA-SER-007} when it cannot be decoded, or is plain and must not be
     */
    public String decode(PayloadField field, String stored) {
        Matcher parts = ENCODED.matcher(stored);
        if (!parts.matches()) {
            if (codec == null || codec.readsPlain(field)) {
                return stored;
            }
            throw unreadable(field, "is not encoded, which the codec does not allow");
        }
        String by = "is encoded by the key " + parts.group(1);
        if (codec == null) {
            throw unreadable(field, by + ", and this node has no codec");
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(parts.group(2));
            return new String(codec.decode(field, new Encoded(parts.group(1), bytes)), StandardCharsets.UTF_8);
        } catch (Exception | LinkageError | AssertionError e) {
            throw unreadable(
                    field,
                    by + ", and cannot be decoded (" + e.getClass().getName()
                            + "): the key is not there or another one, or it was changed");
        }
    }

    private static SagaSerializationException unreadable(PayloadField field, String why) {
        return new SagaSerializationException(UNREADABLE, field + " " + why);
    }

    /**
     * Moves a payload to another place.
     *
     * @param from where it is stored
     * @param to where it will be stored
     * @param stored what is stored
     * @return what is stored there
     * @throws SagaSerializationException {@code SAGA-SER-007} when it cannot be decoded, {@code SAGA-SER-008} when it cannot be encoded
     */
    public String move(PayloadField from, PayloadField to, String stored) {
        return codec == null ? stored : encode(to, decode(from, stored));
    }

    /**
     * The key that an encoded payload needs.
     *
     * @param stored what is stored
     * @return the id of the key, or null when it is stored as it is
     */
    public static @Nullable String keyId(String stored) {
        Matcher parts = ENCODED.matcher(stored);
        return parts.matches() ? parts.group(1) : null;
    }

    /**
     * What inputs are compared by.
     *
     * @param plain the input as JSON
     * @return hashes of 64 hexadecimal digits: first the one to store, then others that the same input may have been stored with
     * @throws SagaSerializationException {@code SAGA-SER-008} when the codec fails
     */
    public List<String> hashes(String plain) {
        if (codec == null) {
            return List.of(json.hash(plain));
        }
        try {
            return codec.hashes(json.canonical(plain)).stream()
                    .map(HexFormat.of()::formatHex)
                    .toList();
        } catch (Exception | LinkageError | AssertionError e) {
            throw new SagaSerializationException(
                    UNWRITABLE,
                    "the hash of an input cannot be made: " + e.getClass().getName());
        }
    }
}
