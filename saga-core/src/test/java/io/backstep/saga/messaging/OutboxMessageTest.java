package io.backstep.saga.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.SagaRequestException;
import io.backstep.saga.definition.Retry;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxMessageTest {
    private static final OutboxMessage MESSAGE = OutboxMessage.of("order", "1", "placed");

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "order\n", "a/b", "ä"})
    void an_aggregate_type_that_makes_no_topic_is_refused(String type) {
        assertThatThrownBy(() -> OutboxMessage.of(type, "1", "placed"))
                .isInstanceOf(SagaRequestException.class)
                .hasMessageStartingWith("SAGA-OUT-003");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\u0000b", "\ud800"})
    void an_id_or_a_type_that_cannot_be_stored_is_refused(String text) {
        assertThatThrownBy(() -> OutboxMessage.of("order", text, "placed")).isInstanceOf(SagaRequestException.class);
        assertThatThrownBy(() -> OutboxMessage.of("order", "1", text)).isInstanceOf(SagaRequestException.class);
        assertThatThrownBy(() -> OutboxMessage.of("order", "1".repeat(201), "placed"))
                .isInstanceOf(SagaRequestException.class);
    }

    @ParameterizedTest // M9
    @ValueSource(strings = {"a\r\nx: y", "a\u0000b", "\ud800"})
    void a_header_that_would_be_two_is_refused(String value) {
        assertThatThrownBy(() -> MESSAGE.header("name", value)).hasMessageStartingWith("SAGA-OUT-003");
        assertThatThrownBy(() -> MESSAGE.header(value, "value")).hasMessageStartingWith("SAGA-OUT-003");
    }

    @Test // M9
    void headers_are_limited_and_leave_the_id_alone() {
        assertThatThrownBy(() -> MESSAGE.header("Id", "other")).hasMessageStartingWith("SAGA-OUT-003");
        assertThatThrownBy(() -> MESSAGE.header("long", "x".repeat(4_001))).hasMessageStartingWith("SAGA-OUT-003");
        OutboxMessage full = IntStream.range(0, 100)
                .boxed()
                .reduce(MESSAGE, (message, i) -> message.header("h" + i, "x"), (a, b) -> b);
        assertThat(full.header("h7", "y").headers()).hasSize(100).containsEntry("h7", "y");
        assertThatThrownBy(() -> full.header("one-more", "x")).hasMessageStartingWith("SAGA-OUT-003");
    }

    @Test
    void a_payload_has_at_most_4_mebibytes() {
        assertThat(MESSAGE.bytes(new byte[4 << 20]).size()).isEqualTo(4 << 20);
        assertThatThrownBy(() -> MESSAGE.bytes(new byte[(4 << 20) + 1])).hasMessageStartingWith("SAGA-OUT-003");
    }

    @Test
    void nobody_changes_a_message() {
        byte[] bytes = {1, 2};
        OutboxMessage message = MESSAGE.bytes(bytes);
        bytes[0] = 9;
        message.payload().orElseThrow()[1] = 9;

        assertThat(message.payload()).contains(new byte[] {1, 2});
        assertThatThrownBy(() -> message.headers().put("a", "b")).isInstanceOf(UnsupportedOperationException.class);
        assertThat(message).hasToString("placed of order 1").isNotEqualTo(MESSAGE);
    }

    @Test
    void aggregates_are_spread_over_all_lanes_and_stay_there() {
        Set<Integer> lanes = new HashSet<>();
        IntStream.range(0, 500).forEach(i -> lanes.add(OutboxStore.lane(OutboxMessage.of("order", "" + i, "any"))));

        assertThat(lanes).hasSize(OutboxStore.LANES).allMatch(lane -> lane >= 0 && lane < OutboxStore.LANES);
        assertThat(OutboxStore.lane(OutboxMessage.of("order", "order-4711", "any")))
                .as("where any release has stored it")
                .isEqualTo(2);
    }

    @Test
    void settings_out_of_range_are_refused() {
        Duration second = Duration.ofSeconds(1);
        Duration tenth = Duration.ofMillis(100);
        Retry retry = Retry.none();
        assertThat(new RelaySettings(second, second, tenth, 1, 16, retry).lanes())
                .isEqualTo(16);
        for (Runnable wrong : new Runnable[] {
            () -> new RelaySettings(Duration.ZERO, second, tenth, 1, 1, retry),
            () -> new RelaySettings(second, tenth, tenth, 1, 1, retry),
            () -> new RelaySettings(second, second, second.dividedBy(2), 1, 1, retry),
            () -> new RelaySettings(second, second, Duration.ZERO, 1, 1, retry),
            () -> new RelaySettings(second, second, tenth, 0, 1, retry),
            () -> new RelaySettings(second, second, tenth, 10_001, 1, retry),
            () -> new RelaySettings(second, second, tenth, 1, 0, retry),
            () -> new RelaySettings(second, second, tenth, 1, 17, retry)
        }) {
            assertThatThrownBy(wrong::run)
                    .isInstanceOf(SagaConfigurationException.class)
                    .hasMessageStartingWith("SAGA-CFG-023: saga.outbox.");
        }
    }
}
