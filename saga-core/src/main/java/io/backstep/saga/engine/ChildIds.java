package io.backstep.saga.engine;

import io.backstep.saga.store.Parent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Derives the ids of children: whoever computes one again gets the same. An id says how deep its saga is below the one that nobody started. */
final class ChildIds {
    /** A saga, its child and so on are at most so many. */
    static final int GENERATIONS = 16;

    private static final long TIME = 0xffff_ffff_ffff_0000L;
    private static final long VERSION_8 = 0x8000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private ChildIds() {}

    /**
     * The id of a child. It begins as its parent's does, with the time, and so stands beside it in lists.
     *
     * @param parent the id of the parent
     * @param grandparent for whom that was started, or null
     * @param step the step that starts it
     * @param number 1 for the first child of the step
     * @return a UUID of version 8
     */
    static UUID of(UUID parent, @Nullable Parent grandparent, String step, int number) {
        byte[] name = step.getBytes(StandardCharsets.UTF_8);
        ByteBuffer text = ByteBuffer.allocate(20 + name.length)
                .putLong(parent.getMostSignificantBits())
                .putLong(parent.getLeastSignificantBits())
                .putInt(number)
                .put(name);
        ByteBuffer hash = ByteBuffer.wrap(sha256(text.array()));
        long deep = (depth(parent, grandparent) + 1) % GENERATIONS << 8;
        long high = parent.getMostSignificantBits() & TIME | VERSION_8 | deep | hash.getLong() & 0xff;
        return new UUID(high, hash.getLong() & ~(3L << 62) | VARIANT);
    }

    /** How many sagas are above one; an id says so only of a child, because others may be anybody's. */
    static long depth(UUID saga, @Nullable Parent parent) {
        return parent == null ? 0 : saga.getMostSignificantBits() >> 8 & 0xf;
    }

    private static byte[] sha256(byte[] text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
