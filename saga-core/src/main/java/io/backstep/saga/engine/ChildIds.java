package io.backstep.saga.engine;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** Derives the ids of children: whoever computes one again gets the same. */
final class ChildIds {
    private static final long TIME = 0xffff_ffff_ffff_0000L;
    private static final long VERSION_8 = 0x8000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private ChildIds() {}

    /**
     * The id of a child. It begins as its parent's does, with the time, and so stands beside it in lists.
     *
     * @param parent the id of the parent
     * @param step the step that starts it
     * @param number 1 for the first child of the step
     * @return a UUID of version 8
     */
    static UUID of(UUID parent, String step, int number) {
        byte[] name = step.getBytes(StandardCharsets.UTF_8);
        ByteBuffer text = ByteBuffer.allocate(20 + name.length)
                .putLong(parent.getMostSignificantBits())
                .putLong(parent.getLeastSignificantBits())
                .putInt(number)
                .put(name);
        ByteBuffer hash = ByteBuffer.wrap(sha256(text.array()));
        long high = parent.getMostSignificantBits() & TIME | VERSION_8 | hash.getLong() & 0xfff;
        return new UUID(high, hash.getLong() & ~(3L << 62) | VARIANT);
    }

    private static byte[] sha256(byte[] text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
