package io.backstep.saga.spring.redis;

import io.backstep.saga.participant.IdempotencyClaim;
import io.backstep.saga.participant.IdempotencyRow;
import io.backstep.saga.participant.IdempotencyStore;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.SagaStoreException.Effect;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Keeps requests and what came of them in Redis: one hash for each key, which Redis deletes when its time to live is over. Each call is one
 * script. As durable as that Redis is: what it forgets is done again. Safe for use by many threads.
 */
public final class RedisIdempotencyStore implements IdempotencyStore {
    /** A fingerprint and a token have a fixed length, so one text tells all three. */
    private static final RedisScript<String> CLAIM = RedisScript.of("""
            local row = redis.call('HMGET', KEYS[1], 'fingerprint', 'token', 'result', 'busy')
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            if row[1] and (row[3] or tonumber(row[4]) >= now or row[1] ~= ARGV[1]) then
              return row[1] .. row[2] .. (row[3] or '')
            end
            redis.call('DEL', KEYS[1])
            redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'token', ARGV[2], 'busy', string.format('%d', now + ARGV[3]))
            redis.call('PEXPIRE', KEYS[1], ARGV[4])
            return ARGV[1] .. ARGV[2]
            """, String.class);

    /** A client that has lost its connection may send it twice. */
    private static final RedisScript<Long> COMPLETE = RedisScript.of("""
            if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
            redis.call('HSET', KEYS[1], 'result', ARGV[2])
            redis.call('PEXPIRE', KEYS[1], ARGV[3])
            return 1
            """, Long.class);

    private static final RedisScript<Long> RELEASE = RedisScript.of("""
            local row = redis.call('HMGET', KEYS[1], 'token', 'result')
            if row[1] ~= ARGV[1] or row[2] then return 0 end
            return redis.call('DEL', KEYS[1])
            """, Long.class);

    private static final int FINGERPRINT = 64;
    private static final int TOKEN = 36;

    private final StringRedisTemplate redis;
    private final String prefix;

    private RedisIdempotencyStore(StringRedisTemplate redis, String prefix) {
        this.redis = redis;
        this.prefix = prefix;
    }

    /**
     * Makes a store.
     *
     * @param connections to Redis 6 or newer
     * @param prefix begins all its keys
     * @return the store
     */
    public static RedisIdempotencyStore create(RedisConnectionFactory connections, String prefix) {
        return new RedisIdempotencyStore(new StringRedisTemplate(connections), prefix);
    }

    @Override
    public IdempotencyRow claim(IdempotencyClaim claim) {
        String row = run(
                CLAIM,
                claim.key(),
                claim.fingerprint(),
                claim.token().toString(),
                millis(claim.limit()),
                millis(claim.timeToLive()));
        String result = row.substring(FINGERPRINT + TOKEN);
        return new IdempotencyRow(
                row.substring(0, FINGERPRINT),
                UUID.fromString(row.substring(FINGERPRINT, FINGERPRINT + TOKEN)),
                result.isEmpty() ? null : result);
    }

    @Override
    public boolean complete(String key, UUID token, String result, Duration timeToLive) {
        return run(COMPLETE, key, token.toString(), result, millis(timeToLive)) == 1;
    }

    @Override
    public void release(String key, UUID token) {
        run(RELEASE, key, token.toString());
    }

    /** Redis does that by itself. */
    @Override
    public int purge(int limit) {
        return 0;
    }

    private <T> T run(RedisScript<T> script, String key, Object... values) {
        try {
            return Objects.requireNonNull(redis.execute(script, List.of(prefix + key), values));
        } catch (DataAccessException e) {
            throw new SagaStoreException("SAGA-GRD-008", "Redis does not answer: " + e.getMessage(), Effect.UNKNOWN, e);
        }
    }

    private static String millis(Duration duration) {
        return Long.toString(Math.max(1, duration.toMillis()));
    }
}
