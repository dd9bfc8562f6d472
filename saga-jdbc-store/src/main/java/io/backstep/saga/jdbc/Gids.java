package io.backstep.saga.jdbc;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The names of a participant's prepared transactions: one for each key, and none for two keys. Letters, digits and {@code . _ - : % #} only: they
 * stand in statements as literals. A key that is too long is named by its hash, which no other name begins like.
 */
final class Gids {
    /** PostgreSQL's limit. */
    private static final int LONGEST = 199;

    private static final String LITERAL = "._-:";
    private static final String HASHED = "#";

    private final String prefix;

    Gids(String participant) {
        this.prefix = "saga:" + participant + ":";
    }

    String prefix() {
        return prefix;
    }

    String of(String key) {
        StringBuilder gid = new StringBuilder(prefix);
        for (byte each : key.getBytes(StandardCharsets.UTF_8)) {
            if (isLiteral(each)) {
                gid.append((char) each);
            } else {
                gid.append('%').append(HexFormat.of().withUpperCase().toHexDigits(each));
            }
        }
        return gid.length() <= LONGEST ? gid.toString() : prefix + HASHED + hash(key);
    }

    private static boolean isLiteral(byte each) {
        return each >= 'a' && each <= 'z'
                || each >= 'A' && each <= 'Z'
                || each >= '0' && each <= '9'
                || LITERAL.indexOf(each) >= 0;
    }

    private static String hash(String key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JVM has it
        }
    }

    /** Empty for a hash, and for what this class has not made. */
    Optional<String> key(String gid) {
        String encoded = gid.substring(prefix.length());
        ByteArrayOutputStream key = new ByteArrayOutputStream();
        for (int i = 0; i < encoded.length(); i++) {
            char each = encoded.charAt(i);
            if (each == '%' && encoded.length() >= i + 3) {
                key.write(HexFormat.fromHexDigits(encoded, i + 1, i + 3));
                i += 2;
            } else {
                key.write(each);
            }
        }
        String decoded = key.toString(StandardCharsets.UTF_8);
        return of(decoded).equals(gid) ? Optional.of(decoded) : Optional.empty();
    }
}
