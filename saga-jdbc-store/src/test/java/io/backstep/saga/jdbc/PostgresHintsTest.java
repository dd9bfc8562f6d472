package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PostgresHintsTest {
    @Test
    void a_channel_is_named_as_the_tables_are() {
        assertThat(PostgresHints.channel("public", "saga_")).isEqualTo("public.saga_hint");
        assertThat(PostgresHints.channel("Orders", "Saga_"))
                .as("of the prefix case does not count")
                .isEqualTo("Orders.saga_hint");
        assertThat(PostgresHints.channel("x".repeat(53), "saga_")).isEqualTo("x".repeat(53) + ".saga_hint");
    }

    @Test
    void one_that_the_server_would_cut_off_is_hashed() {
        String one = PostgresHints.channel("x".repeat(54), "saga_");

        assertThat(one).matches("saga_hint_[0-9a-f-]{36}").isEqualTo(PostgresHints.channel("x".repeat(54), "saga_"));
        assertThat(PostgresHints.channel("x".repeat(54), "sagb_")).isNotEqualTo(one);
        assertThat(PostgresHints.channel("ü".repeat(50), "saga_").getBytes(StandardCharsets.UTF_8))
                .hasSizeLessThan(64);
    }
}
