package io.backstep.saga.spring.admin;

import io.backstep.saga.serialization.Payloads;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/**
 * Shows what is stored of an application's data: as it is when it is JSON, by the name of its key when it is encoded, else as a text; or
 * hides it.
 */
final class Payload {
    static final String HIDDEN = "***";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final boolean visible;

    Payload(boolean visible) {
        this.visible = visible;
    }

    @Nullable
    Object shown(@Nullable String stored) {
        if (stored == null) {
            return null;
        }
        if (!visible) {
            return HIDDEN;
        }
        String key = Payloads.keyId(stored);
        if (key != null) {
            return Map.of("encodedBy", key);
        }
        return isJson(stored) ? new RawValue(stored) : stored;
    }

    /** An error is shown to all, unless it is encoded. */
    @Nullable
    Object error(@Nullable String stored) {
        return stored != null && Payloads.keyId(stored) != null ? shown(stored) : stored;
    }

    private static boolean isJson(String text) {
        try {
            return !JSON.readTree(text).isMissingNode();
        } catch (JacksonException e) {
            return false;
        }
    }
}
