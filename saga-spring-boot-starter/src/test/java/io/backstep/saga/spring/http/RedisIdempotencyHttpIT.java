package io.backstep.saga.spring.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.testsupport.TestRedis;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

class RedisIdempotencyHttpIT extends IdempotencyHttpContract {
    @Override
    Stream<String> properties() {
        return Stream.of("spring.datasource.url=jdbc:h2:mem:redis-http", "saga.idempotency.redis=true");
    }

    @Override
    List<Class<?>> configurations() {
        return List.of(Redis.class);
    }

    @Test
    void the_answers_are_in_redis_under_the_applications_name_and_with_a_time_to_live() throws Exception {
        post("ann", "/orders", "in redis", "tea");

        LettuceConnectionFactory connections = Redis.connectionsTo(TestRedis.port());
        try {
            StringRedisTemplate redis = new StringRedisTemplate(connections);
            Set<String> keys = redis.keys("saga_idempotency:shop:http:*");
            assertThat(keys)
                    .isNotEmpty()
                    .allSatisfy(each -> assertThat(redis.getExpire(each)).isPositive());
        } finally {
            connections.destroy();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Redis {
        @Bean
        RedisConnectionFactory redisConnectionFactory() {
            return connectionsTo(TestRedis.port());
        }

        static LettuceConnectionFactory connectionsTo(int port) {
            LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", port);
            connections.afterPropertiesSet();
            connections.start();
            return connections;
        }
    }
}
