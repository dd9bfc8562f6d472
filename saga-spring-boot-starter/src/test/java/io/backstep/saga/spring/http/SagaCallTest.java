package io.backstep.saga.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaRequestException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SagaCallTest {
    private static final UUID ID = new UUID(1, 2);

    private final Map<String, String> headers = new LinkedHashMap<>(
            Map.of("Saga-Id", ID.toString(), "Saga-Key", ID + ":pay", "Saga-Epoch", "3", "Saga-Remaining", "1500"));

    @Test
    void it_is_read_from_its_headers() {
        assertThat(SagaCall.read(headers::get)).contains(new SagaCall(ID, ID + ":pay", 3, Duration.ofMillis(1500)));
    }

    @Test
    void a_request_that_is_no_steps_has_none() {
        assertThat(SagaCall.read(name -> null)).isEmpty();
        assertThat(SagaCall.read(Map.of("Idempotency-Key", "k")::get)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Saga-Id", "Saga-Key", "Saga-Epoch", "Saga-Remaining"})
    void half_of_it_is_refused_and_never_taken_for_none(String missing) {
        headers.remove(missing);

        assertRefused(missing);
    }

    @ParameterizedTest
    @CsvSource({
        "Saga-Id, x",
        "Saga-Id, 1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1",
        "Saga-Key, '  '",
        "Saga-Epoch, -1",
        "Saga-Epoch, 1.5",
        "Saga-Remaining, 1s",
        "Saga-Remaining, 99999999999999999999"
    })
    void what_is_none_of_ours_is_refused(String header, String value) {
        headers.put(header, value);

        assertRefused(header);
    }

    @Test
    void a_key_that_no_column_holds_is_refused() {
        headers.put("Saga-Key", "k".repeat(201));

        assertRefused("Saga-Key");
    }

    private void assertRefused(String header) {
        assertThatThrownBy(() -> SagaCall.read(headers::get))
                .isInstanceOfSatisfying(
                        SagaRequestException.class, e -> assertThat(e.field()).isEqualTo(header))
                .hasMessageStartingWith("SAGA-REQ-001: " + header);
    }
}
