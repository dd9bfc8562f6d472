package io.backstep.saga.serialization;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts payloads by AES-256-GCM, each bound to its saga and its place there: moved to another row or column it cannot be read. Every saga has
 * a key of its own, made of the one that is given, so that there may be any number of sagas. To change keys: give all nodes the new one as a
 * second; then, on all of them, as the first; take the old one away when nothing is stored by it any more.
 */
public final class AesGcmCodec implements PayloadCodec {
    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final String BAD_KEY = "SAGA-CFG-012";

    /** What documentation shows is no secret. */
    private static final String SAMPLE = "c2FtcGxlLWtleS1vZi10aGUtZG9jcy1uZXZlci11c2U=";

    private final Map<String, Key> keys;
    private final @Nullable String writing;
    private final boolean readsPlain;
    private final SecureRandom random = new SecureRandom();

    private record Key(SecretKeySpec ofSagas, SecretKeySpec ofHashes) {}

    private AesGcmCodec(Map<String, Key> keys, @Nullable String writing, boolean readsPlain) {
        this.keys = keys;
        this.writing = writing;
        this.readsPlain = readsPlain;
    }

    /**
     * Encrypts by a key.
     *
     * @param keyId its name, which is stored with each payload: 1 to 64 of {@code A-Z a-z 0-9 . _ -}
     * @param base64 32 random bytes as Base64, from wherever secrets are kept
     * @return a codec that reads nothing else
     * @throws SagaConfigurationException {@code SAGA-CFG-012} when that is no such key
     */
    public static AesGcmCodec of(String keyId, String base64) {
        return new AesGcmCodec(Map.of(checkedId(keyId), key(keyId, base64)), keyId, false);
    }

    /**
     * Also reads what was encrypted by another key.
     *
     * @param keyId its name
     * @param base64 32 bytes as Base64
     * @return a codec that writes as before
     * @throws SagaConfigurationException {@code SAGA-CFG-012} when that is no key, or its name is taken
     */
    public AesGcmCodec andReads(String keyId, String base64) {
        Map<String, Key> all = new LinkedHashMap<>(keys);
        if (all.put(checkedId(keyId), key(keyId, base64)) != null) {
            throw bad(keyId, "is given twice");
        }
        return new AesGcmCodec(all, writing, readsPlain);
    }

    /**
     * Also reads what is stored in plain text, from before there was a codec. Leave it away when none is left: else who can write to the
     * tables could replace what is encrypted.
     *
     * @return a codec that writes as before
     */
    public AesGcmCodec andReadsPlain() {
        return new AesGcmCodec(keys, writing, true);
    }

    /**
     * Encrypts nothing yet, but reads: for a first deployment, until all nodes can read what the next one writes.
     *
     * @return a codec that writes plain text, and reads it
     */
    public AesGcmCodec writesPlain() {
        return new AesGcmCodec(keys, null, true);
    }

    private static String checkedId(String keyId) {
        if (!ID.matcher(keyId).matches()) {
            throw bad(keyId, "has a name that is not allowed; use 1 to 64 of A-Z a-z 0-9 . _ -");
        }
        return keyId;
    }

    private static Key key(String keyId, String base64) {
        byte[] bytes = decoded(keyId, base64);
        boolean constant = true;
        for (byte each : bytes) {
            constant &= each == bytes[0];
        }
        if (constant || base64.equals(SAMPLE)) {
            throw bad(
                    keyId, "is no secret: it is a sample, or one byte repeated; make one by: openssl rand -base64 32");
        }
        SecretKeySpec given = new SecretKeySpec(bytes, "HmacSHA256");
        return new Key(
                new SecretKeySpec(mac(given, "backstep sagas"), "HmacSHA256"),
                new SecretKeySpec(mac(given, "backstep input hashes"), "HmacSHA256"));
    }

    private static byte[] decoded(String keyId, String base64) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw bad(keyId, "is not Base64");
        }
        if (bytes.length != KEY_BYTES) {
            throw bad(keyId, "has " + bytes.length + " bytes; needed are " + KEY_BYTES);
        }
        return bytes;
    }

    /** The key itself is never shown. */
    private static SagaConfigurationException bad(String keyId, String what) {
        return new SagaConfigurationException(BAD_KEY, "the encryption key " + Shown.quoted(keyId) + " " + what);
    }

    @Override
    public @Nullable Encoded encode(PayloadField field, byte[] plain) {
        if (writing == null) {
            return null;
        }
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, field, writing, nonce).doFinal(plain);
            byte[] bytes = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
            System.arraycopy(sealed, 0, bytes, NONCE_BYTES, sealed.length);
            return new Encoded(writing, bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-256-GCM does not work here", e);
        }
    }

    @Override
    public byte[] decode(PayloadField field, Encoded encoded) throws GeneralSecurityException {
        if (encoded.bytes().length < NONCE_BYTES) {
            throw new GeneralSecurityException("too short");
        }
        byte[] nonce = Arrays.copyOf(encoded.bytes(), NONCE_BYTES);
        return cipher(Cipher.DECRYPT_MODE, field, encoded.keyId(), nonce)
                .doFinal(encoded.bytes(), NONCE_BYTES, encoded.bytes().length - NONCE_BYTES);
    }

    private Cipher cipher(int mode, PayloadField field, String keyId, byte[] nonce) throws GeneralSecurityException {
        Key key = keys.get(keyId);
        if (key == null) {
            throw new GeneralSecurityException("unknown key");
        }
        byte[] ofSaga = mac(key.ofSagas(), field.sagaId().toString());
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(ofSaga, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(("1/" + keyId + "/" + field).getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    @Override
    public boolean readsPlain(PayloadField field) {
        return readsPlain;
    }

    @Override
    public List<byte[]> hashes(byte[] canonical) {
        List<byte[]> hashes = new ArrayList<>();
        keys.forEach((id, key) -> hashes.add(id.equals(writing) ? 0 : hashes.size(), mac(key.ofHashes(), canonical)));
        if (readsPlain) {
            hashes.add(writing == null ? 0 : hashes.size(), Json.sha256().digest(canonical));
        }
        return hashes;
    }

    private static byte[] mac(SecretKeySpec key, String text) {
        return mac(key, text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] mac(SecretKeySpec key, byte[] bytes) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return mac.doFinal(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has HMAC-SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "AES-256-GCM by keys " + keys.keySet();
    }
}
