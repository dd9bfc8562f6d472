package io.backstep.saga.spring.admin;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Where a page ends: opaque, and good for the same filter only. It says nothing that the page has not said. */
final class Cursor {
    private static final int POSITION = 16;
    private static final int CHECK = 8;

    private Cursor() {}

    static String of(String filter, UUID position) {
        byte[] bytes = bytes(position);
        byte[] all = ByteBuffer.allocate(POSITION + CHECK)
                .put(bytes)
                .put(check(filter, bytes), 0, CHECK)
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
    }

    /** Null when there is none; refused when it is not one of ours for this filter. */
    static @Nullable UUID position(Query query) {
        String cursor = query.raw("cursor");
        if (cursor == null) {
            return null;
        }
        ByteBuffer all = ByteBuffer.wrap(decoded(cursor));
        if (all.remaining() == POSITION + CHECK) {
            UUID position = new UUID(all.getLong(), all.getLong());
            if (of(query.filter(), position).equals(cursor)) {
                return position;
            }
        }
        throw Query.bad("cursor", cursor, "what the page before said, with the same filter");
    }

    private static byte[] decoded(String cursor) {
        try {
            return Base64.getUrlDecoder().decode(cursor);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private static byte[] bytes(UUID position) {
        return ByteBuffer.allocate(POSITION)
                .putLong(position.getMostSignificantBits())
                .putLong(position.getLeastSignificantBits())
                .array();
    }

    private static byte[] check(String filter, byte[] position) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(position);
            return digest.digest(filter.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
