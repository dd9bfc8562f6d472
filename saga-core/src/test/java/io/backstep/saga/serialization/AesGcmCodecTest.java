package io.backstep.saga.serialization;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.serialization.PayloadCodec.Encoded;
import java.util.Base64;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AesGcmCodecTest {
    private static final String KEY = "bm90LWEtc2VjcmV0LWJ1dC1nb29kLWZvci1hLXRlc3Q=";
    private static final PayloadField FIELD = PayloadField.input(new UUID(1, 2));

    @ParameterizedTest // C12
    @CsvSource(
            delimiter = '|',
            value = {
                "k1 | short | is not Base64",
                "k1 | c2hvcnQ= | has 5 bytes",
                "k1 | '' | has 0 bytes",
                "k1 | not*base64 | is not Base64",
                "k1 | AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= | is no secret",
                "k1 | c2FtcGxlLWtleS1vZi10aGUtZG9jcy1uZXZlci11c2U= | is no secret",
                "a key | bm90LWEtc2VjcmV0LWJ1dC1nb29kLWZvci1hLXRlc3Q= | has a name",
                "'' | bm90LWEtc2VjcmV0LWJ1dC1nb29kLWZvci1hLXRlc3Q= | has a name"
            })
    void what_is_no_key_is_refused_and_not_shown(String id, String base64, String why) {
        assertThatThrownBy(() -> AesGcmCodec.of(id, base64))
                .isInstanceOfSatisfying(
                        SagaConfigurationException.class,
                        e -> assertThat(e.code()).isEqualTo("SAGA-CFG-012"))
                .hasMessageContaining(why)
                .satisfies(e -> assertThat(base64.isEmpty() || !e.getMessage().contains(base64))
                        .isTrue());
    }

    @Test
    void two_keys_of_one_name_are_refused() { // C12
        AesGcmCodec codec = AesGcmCodec.of("k1", KEY);
        assertThatThrownBy(() -> codec.andReads("k1", KEY)).hasMessageContaining("is given twice");
    }

    @Test
    void a_payload_is_the_same_after_it_and_never_the_same_while_stored() throws Exception {
        AesGcmCodec codec = AesGcmCodec.of("k1", KEY);
        Set<String> stored = new HashSet<>();
        for (String text : new String[] {"", "{}", "é 漢 😀".repeat(1000)}) {
            for (int i = 0; i < 100; i++) {
                Encoded encoded = Objects.requireNonNull(codec.encode(FIELD, text.getBytes(UTF_8)));
                assertThat(new String(codec.decode(FIELD, encoded), UTF_8)).isEqualTo(text);
                assertThat(stored.add(Base64.getEncoder().encodeToString(encoded.bytes())))
                        .isTrue();
            }
        }
    }

    @Test
    void each_changed_bit_is_noticed() {
        AesGcmCodec codec = AesGcmCodec.of("k1", KEY);
        byte[] bytes = Objects.requireNonNull(codec.encode(FIELD, "{}".getBytes(UTF_8)))
                .bytes();
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] changed = bytes.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> codec.decode(FIELD, new Encoded("k1", changed)))
                    .isInstanceOf(Exception.class);
        }
    }

    @Test
    void the_name_of_the_key_is_bound_too() {
        AesGcmCodec codec = AesGcmCodec.of("k1", KEY).andReads("same", KEY);
        Encoded encoded = Objects.requireNonNull(codec.encode(FIELD, "{}".getBytes(UTF_8)));
        assertThatThrownBy(() -> codec.decode(FIELD, new Encoded("same", encoded.bytes())))
                .isInstanceOf(Exception.class);
    }

    @Test
    void it_tells_its_keys_by_name_only() {
        assertThat(AesGcmCodec.of("k1", KEY).toString())
                .isEqualTo("AES-256-GCM by keys [k1]")
                .doesNotContain(KEY);
    }
}
