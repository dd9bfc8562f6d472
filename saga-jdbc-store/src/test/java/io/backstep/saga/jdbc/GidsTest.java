package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GidsTest {
    private final Gids gids = new Gids("debit");

    static Stream<String> keys() {
        return Stream.of(
                "01980000-0000-7000-8000-000000000000:debit",
                "a'; drop table saga_guard; --",
                "100%",
                "%25",
                "#" + "0".repeat(64),
                "ä€😀",
                "a b\nc\\",
                "x".repeat(200),
                "x".repeat(199),
                "😀".repeat(200));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void a_name_is_a_harmless_literal_that_postgres_takes(String key) {
        assertThat(gids.of(key)).matches("saga:debit:[A-Za-z0-9._:%#-]+").hasSizeLessThan(200);
    }

    @Test
    void no_two_keys_have_the_same_name() {
        Set<String> names = new HashSet<>();
        List<String> keys = keys().toList();
        keys.forEach(key -> names.add(gids.of(key)));
        names.add(new Gids("debit2").of(keys.get(0)));

        assertThat(names).hasSize(keys.size() + 1);
    }

    @Test
    void a_key_is_read_from_its_name_unless_it_was_too_long() {
        for (String key : keys().toList()) {
            String gid = gids.of(key);
            if (gid.startsWith(gids.prefix() + "#")) {
                assertThat(gids.key(gid)).isEmpty();
            } else {
                assertThat(gids.key(gid)).contains(key);
            }
        }
        assertThat(gids.key(gids.of("x".repeat(180)))).contains("x".repeat(180));
        assertThat(gids.key("saga:debit:not ours")).isEmpty();
    }
}
