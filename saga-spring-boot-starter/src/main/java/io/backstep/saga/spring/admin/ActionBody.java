package io.backstep.saga.spring.admin;

import io.backstep.saga.Resolution;
import io.backstep.saga.Shown;
import io.backstep.saga.admin.AdminAction;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * The body of an action, read strictly: what is not foreseen is refused, and nothing is taken for something else.
 *
 * @param reason why, or null when it is missing
 * @param force whether a running attempt is broken off
 * @param outcome what came of a step, or null when it is missing
 * @param result the result of that step as JSON, or null
 */
record ActionBody(
        @Nullable String reason,
        boolean force,
        @Nullable Resolution outcome,
        @Nullable String result) {
    private static final int LARGEST = 16 * 1024;
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** Those that break off what is under way, if they are told to. */
    private static final Set<AdminAction> MAY_FORCE =
            Set.of(AdminAction.RETRY, AdminAction.RETRY_COMPENSATION, AdminAction.FORCE_COMPLETE, AdminAction.RESOLVE);

    static ActionBody read(HttpServletRequest request, AdminAction action) throws IOException {
        String text = text(bytes(request));
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw malformed("the body must be a JSON object with a reason");
            }
            ActionBody body = fields(parser, action);
            if (parser.nextToken() != null) {
                throw malformed("something follows the JSON object, " + place(parser));
            }
            return body;
        } catch (JacksonException e) {
            throw malformed("the body is not JSON as it should be, " + shown(e.getLocation()));
        }
    }

    Resolution told() {
        if (outcome == null) {
            throw RefusedException.badInput(
                    "SAGA-REQ-001", "outcome", "outcome is missing; allowed is " + List.of(Resolution.values()));
        }
        return outcome;
    }

    private static ActionBody fields(JsonParser parser, AdminAction action) {
        String reason = null;
        boolean force = false;
        Resolution outcome = null;
        String result = null;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (name.equals("reason")) {
                require(value == JsonToken.VALUE_STRING, name, "a text", parser);
                reason = parser.getString();
            } else if (name.equals("force") && MAY_FORCE.contains(action)) {
                require(value == JsonToken.VALUE_TRUE || value == JsonToken.VALUE_FALSE, name, "true or false", parser);
                force = value == JsonToken.VALUE_TRUE;
            } else if (name.equals("outcome") && action == AdminAction.RESOLVE) {
                outcome = outcome(parser);
            } else if (name.equals("result") && action == AdminAction.RESOLVE) {
                result = asItStands(parser);
            } else {
                throw unknown(name, action);
            }
        }
        return new ActionBody(reason, force, outcome, result);
    }

    private static Resolution outcome(JsonParser parser) {
        String value = parser.getString();
        return Stream.of(Resolution.values())
                .filter(one -> one.name().equals(value))
                .findFirst()
                .orElseThrow(() -> RefusedException.badInput(
                        "SAGA-REQ-004",
                        "outcome",
                        "outcome must be one of " + List.of(Resolution.values()) + ", " + place(parser)));
    }

    /** Null counts as left out. */
    private static @Nullable String asItStands(JsonParser parser) {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        StringWriter text = new StringWriter();
        try (JsonGenerator copy = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            copy.copyCurrentStructureExact(parser);
        }
        return text.toString();
    }

    private static void require(boolean right, String field, String allowed, JsonParser parser) {
        if (!right) {
            throw RefusedException.badInput(
                    "SAGA-REQ-004", field, field + " must be " + allowed + ", " + place(parser));
        }
    }

    private static RefusedException unknown(String name, AdminAction action) {
        String allowed = action == AdminAction.RESOLVE
                ? "outcome, result, reason and force"
                : MAY_FORCE.contains(action) ? "reason and force" : "reason";
        return RefusedException.badInput(
                "SAGA-REQ-003",
                Shown.line(name, 64),
                Shown.quoted(name) + " is no field of " + action.code() + "; allowed is " + allowed);
    }

    private static byte[] bytes(HttpServletRequest request) throws IOException {
        byte[] bytes = request.getContentLengthLong() > LARGEST
                ? new byte[LARGEST + 1]
                : request.getInputStream().readNBytes(LARGEST + 1);
        if (bytes.length > LARGEST) {
            throw new RefusedException(413, "SAGA-HTTP-413", "the body is larger than " + LARGEST + " bytes");
        }
        return bytes;
    }

    private static String text(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(in).toString();
            if (text.startsWith("\uFEFF")) {
                throw malformed("the body begins with a byte order mark, line 1, column 1");
            }
            return text;
        } catch (CharacterCodingException e) {
            throw malformed("the body is not UTF-8, byte " + (in.position() + 1));
        }
    }

    private static String place(JsonParser parser) {
        return shown(parser.currentTokenLocation());
    }

    private static String shown(@Nullable TokenStreamLocation place) {
        return place == null ? "place unknown" : "line " + place.getLineNr() + ", column " + place.getColumnNr();
    }

    private static RefusedException malformed(String detail) {
        return RefusedException.badInput("SAGA-REQ-005", "body", detail);
    }
}
