package io.backstep.saga.serialization;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes each payload before it is stored, and back when it is read: inputs, results, payloads of signals, what compensations are handed
 * and answer, and the texts of errors. For encryption; {@link AesGcmCodec} is an example. Names, business keys, error codes and the
 * reasons that operators give are no payloads, and stay readable.
 *
 * <p>All nodes need a codec that can read what any of them writes. Implementations are used by many threads at once, inside transactions
 * of steps too, so they do not block for long. What they throw is never shown: it could quote the data. A value that cannot be
 * encoded is an error of whoever stores it; one that cannot be decoded parks its saga as UNREADABLE, with its bytes as they are, so that it
 * can be retried once the codec reads it again.
 */
public interface PayloadCodec {
    /**
     * An encoded payload.
     *
     * @param keyId names the key that it needs, 1 to 64 of {@code A-Z a-z 0-9 . _ -}; stored in the clear
     * @param bytes the rest
     */
    record Encoded(String keyId, byte[] bytes) {}

    /**
     * Encodes a payload.
     *
     * @param field where it will be stored
     * @param plain the payload: JSON, or a text, as UTF-8
     * @return what is stored, or null to store it as it is
     */
    @Nullable
    Encoded encode(PayloadField field, byte[] plain);

    /**
     * Decodes a payload.
     *
     * @param field where it is stored
     * @param encoded what is stored there
     * @return what was encoded
     * @throws Exception when it was encoded for another place, changed since, or by a key that is not there
     */
    byte[] decode(PayloadField field, Encoded encoded) throws Exception;

    /**
     * Whether a payload is read that is stored as it is: from before there was a codec, or because {@link #encode} said so. Else its saga is
     * parked, as nothing tells who has written it.
     *
     * @param field where it is stored
     * @return true when it is read
     */
    boolean readsPlain(PayloadField field);

    /**
     * What inputs are compared by: never a hash that somebody who reads the table could compute of a guess.
     *
     * @param canonical the input's canonical JSON as UTF-8
     * @return hashes of 32 bytes: first the one to store, then those that other keys in use would give; equal inputs share one
     */
    List<byte[]> hashes(byte[] canonical);
}
