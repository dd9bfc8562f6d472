package io.backstep.saga.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.Step;
import io.backstep.saga.participant.IdempotencyClaim;
import io.backstep.saga.participant.IdempotencyHandler;
import io.backstep.saga.participant.IdempotencyRow;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.test.IdempotencyContract;
import io.backstep.saga.testsupport.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

class RedisIdempotencyIT extends IdempotencyContract {
    private static final String PREFIX = "saga_idempotency:";

    private LettuceConnectionFactory connections;
    private RedisIdempotencyStore store;

    @BeforeEach
    void connect() {
        connections = connectionsTo(TestRedis.port());
        store = RedisIdempotencyStore.create(connections, PREFIX);
    }

    @AfterEach
    void disconnect() {
        if (connections != null) {
            connections.destroy();
        }
    }

    private static LettuceConnectionFactory connectionsTo(int port) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", port);
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    @Override
    protected IdempotencyStore store() {
        return store;
    }

    @Override
    protected void age(String key, Duration by) {
        StringRedisTemplate redis = new StringRedisTemplate(connections);
        long left = Objects.requireNonNull(redis.getExpire(PREFIX + key, TimeUnit.MILLISECONDS)) - by.toMillis();
        assertThat(redis.hasKey(PREFIX + key)).isTrue();
        if (left <= 0) {
            redis.delete(PREFIX + key);
        } else {
            redis.opsForHash().increment(PREFIX + key, "busy", -by.toMillis());
            redis.expire(PREFIX + key, left, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void what_a_client_sends_twice_because_its_connection_was_lost_is_taken_as_sent_once() {
        UUID token = UUID.randomUUID();
        Duration hour = Duration.ofHours(1);
        IdempotencyClaim claim = new IdempotencyClaim("twice" + token, "f".repeat(64), token, hour, hour);

        assertThat(List.of(store.claim(claim), store.claim(claim)))
                .containsOnly(new IdempotencyRow(claim.fingerprint(), token, null));
        assertThat(store.complete(claim.key(), token, "\"a\"", hour)).isTrue();
        assertThat(store.complete(claim.key(), token, "\"a\"", hour)).isTrue();
        store.release(claim.key(), token);
        assertThat(store.complete(claim.key(), UUID.randomUUID(), "\"b\"", hour))
                .isFalse();
        assertThat(store.claim(claim).result()).isEqualTo("\"a\"");
    }

    @Test
    void a_redis_that_does_not_answer_is_told_with_a_code() {
        LettuceConnectionFactory nowhere = connectionsTo(1);
        try {
            IdempotencyHandler handler = new IdempotencyHandler(
                    RedisIdempotencyStore.create(nowhere, PREFIX), IdempotencyHandler.Settings.DEFAULT);

            assertThatThrownBy(() -> handler.once("1", Step.named("pay", String.class), "", () -> "paid"))
                    .isInstanceOf(SagaStoreException.class)
                    .hasMessageStartingWith("SAGA-GRD-008");
        } finally {
            nowhere.destroy();
        }
    }
}
