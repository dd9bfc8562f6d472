package io.backstep.saga.messaging;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.Shown;
import io.backstep.saga.serialization.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A message that is to be published. Immutable; each verb gives a changed copy. What is published of one aggregate, that is with
 * the same aggregate type and id, keeps its order.
 */
public final class OutboxMessage {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final int LONGEST_ID = 200;
    private static final int LONGEST_HEADER = 4_000;
    private static final int MOST_HEADERS = 100;
    private static final int LARGEST_PAYLOAD = 4 << 20;

    private final String aggregateType;
    private final String aggregateId;
    private final String type;
    private final byte @Nullable [] payload;
    private final Map<String, String> headers;

    private OutboxMessage(
            String aggregateType,
            String aggregateId,
            String type,
            byte @Nullable [] payload,
            Map<String, String> headers) {
        this.aggregateType = aggregateType;
        this.aggregateId = aggregateId;
        this.type = type;
        this.payload = payload;
        this.headers = headers;
    }

    /**
     * A message without payload and headers.
     *
     * @param aggregateType what it is about, such as {@code order}; brokers make the topic of it: 1 to 100 of {@code A-Z a-z 0-9 . _ -}
     * @param aggregateId which of them; the key within the topic: 1 to 200 characters, not blank
     * @param type what has happened, such as {@code OrderPlaced}: 1 to 200 characters, not blank
     * @return the message
     * @throws SagaRequestException {@code SAGA-REQ-001} or {@code SAGA-OUT-003} when one of them is not allowed
     */
    public static OutboxMessage of(String aggregateType, String aggregateId, String type) {
        if (aggregateType == null || !NAME.matcher(aggregateType).matches()) {
            throw wrong("aggregateType", Shown.quoted(aggregateType) + "; allowed are 1 to 100 of A-Z a-z 0-9 . _ -");
        }
        return new OutboxMessage(
                aggregateType,
                SagaRequestException.requireText("aggregateId", aggregateId, LONGEST_ID),
                SagaRequestException.requireText("type", type, LONGEST_ID),
                null,
                Map.of());
    }

    /**
     * With a text for its payload, in UTF-8.
     *
     * @param text the payload, which may be empty: that is not the same as none
     * @return a changed copy
     * @throws SagaRequestException {@code SAGA-OUT-003} when it has more than 4 MiB
     */
    public OutboxMessage text(String text) {
        return with(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * With bytes for its payload.
     *
     * @param bytes the payload, which may be empty: that is not the same as none
     * @return a changed copy
     * @throws SagaRequestException {@code SAGA-OUT-003} when it has more than 4 MiB
     */
    public OutboxMessage bytes(byte[] bytes) {
        return with(bytes.clone());
    }

    private OutboxMessage with(byte[] bytes) {
        if (bytes.length > LARGEST_PAYLOAD) {
            throw wrong("payload", bytes.length + " bytes long; at most " + LARGEST_PAYLOAD + " are allowed");
        }
        return new OutboxMessage(aggregateType, aggregateId, type, bytes, headers);
    }

    /**
     * With one header more, or with another value for it.
     *
     * @param name 1 to 100 of {@code A-Z a-z 0-9 . _ -}, and not {@code id}, which is the message's own; at most 100 in all
     * @param value up to 4,000 characters, none of them a control character
     * @return a changed copy
     * @throws SagaRequestException {@code SAGA-OUT-003} when it is not allowed
     */
    public OutboxMessage header(String name, String value) {
        if (name == null || !NAME.matcher(name).matches() || name.equalsIgnoreCase("id")) {
            throw wrong(
                    "header", Shown.quoted(name) + "; allowed are 1 to 100 of A-Z a-z 0-9 . _ -, and not the name id");
        }
        if (value == null
                || value.length() > LONGEST_HEADER
                || value.chars().anyMatch(Character::isISOControl)
                || !Json.isStorable(value)) {
            throw wrong(
                    "header " + name,
                    Shown.quoted(value) + "; allowed are up to 4000 characters without control characters");
        }
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(name, value);
        if (all.size() > MOST_HEADERS) {
            throw wrong("headers", "more than 100 of them; 100 are allowed");
        }
        return new OutboxMessage(aggregateType, aggregateId, type, payload, Collections.unmodifiableMap(all));
    }

    private static SagaRequestException wrong(String field, String is) {
        return new SagaRequestException("SAGA-OUT-003", field, field + " of a message is " + is);
    }

    /**
     * What it is about.
     *
     * @return the aggregate's type
     */
    public String aggregateType() {
        return aggregateType;
    }

    /**
     * Which of them.
     *
     * @return the aggregate's id
     */
    public String aggregateId() {
        return aggregateId;
    }

    /**
     * What has happened.
     *
     * @return the message's type
     */
    public String type() {
        return type;
    }

    /**
     * The payload.
     *
     * @return a copy of it, or empty when there is none
     */
    public Optional<byte[]> payload() {
        return Optional.ofNullable(payload).map(byte[]::clone);
    }

    /**
     * The payload as a text.
     *
     * @return what UTF-8 makes of it, or empty when there is none
     */
    public Optional<String> text() {
        return Optional.ofNullable(payload).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    /**
     * The headers.
     *
     * @return unmodifiable, in the order in which they were given
     */
    public Map<String, String> headers() {
        return headers;
    }

    /**
     * About how much it needs in memory.
     *
     * @return bytes of the payload
     */
    public int size() {
        return payload == null ? 0 : payload.length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OutboxMessage message
                && aggregateType.equals(message.aggregateType)
                && aggregateId.equals(message.aggregateId)
                && type.equals(message.type)
                && Arrays.equals(payload, message.payload)
                && headers.equals(message.headers);
    }

    @Override
    public int hashCode() {
        return Objects.hash(aggregateType, aggregateId, type, Arrays.hashCode(payload), headers);
    }

    /** Without the payload, which may be personal. */
    @Override
    public String toString() {
        return Shown.line(type + " of " + aggregateType + " " + aggregateId, 500);
    }
}
