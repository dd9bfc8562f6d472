package io.backstep.saga.spring;

import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.spring.redis.RedisIdempotencyStore;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What is kept in Redis, for those who want that. */
@AutoConfiguration(
        after = SagaStoreAutoConfiguration.class,
        afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass(StringRedisTemplate.class)
@ConditionalOnBooleanProperty("saga.idempotency.redis")
@ConditionalOnBean({RedisConnectionFactory.class, SagaSettings.class})
class SagaRedisAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(IdempotencyStore.class)
    IdempotencyStore sagaIdempotencyStore(
            RedisConnectionFactory connections, SagaSettings settings, Environment environment) {
        String application = environment.getProperty("spring.application.name", "");
        return RedisIdempotencyStore.create(
                connections, settings.schema().tablePrefix() + "idempotency:" + application + ":");
    }
}
