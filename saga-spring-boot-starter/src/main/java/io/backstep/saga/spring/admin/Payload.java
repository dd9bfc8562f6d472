package io.backstep.saga.spring.admin;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/** Shows what is stored of an application's data: as it is when it is JSON, else as a text; or hides it. */
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
        return isJson(stored) ? new RawValue(stored) : stored;
    }

    private static boolean isJson(String text) {
        try {
            return !JSON.readTree(text).isMissingNode();
        } catch (JacksonException e) {
            return false;
        }
    }
}
