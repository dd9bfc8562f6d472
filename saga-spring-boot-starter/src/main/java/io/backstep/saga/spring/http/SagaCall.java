package io.backstep.saga.spring.http;

import io.backstep.saga.SagaRequestException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a step's call tells its participant, as {@link SagaHeaders} sends it. With Spring MVC a controller's method may have one as a parameter; a
 * request without it, or with a wrong one, is answered 400 then. Whoever can send requests can make one up: let only those in that you trust.
 *
 * <pre>{@code
 * @PostMapping("/reservations")
 * Reservation reserve(SagaCall call, @RequestBody Order order) throws Exception {
 *     return reserve.action(call.key(), () -> stock.take(order));
 * }
 *
 * @PostMapping("/reservations/release")
 * void release(SagaCall call) throws Exception {
 *     reserve.compensation(call.key(), recorded -> recorded.ifPresent(stock::giveBack));
 * }
 * }</pre>
 *
 * @param sagaId the saga
 * @param key the operation id for a guard: the same for all attempts of an action and of its compensation, 1 to 200 characters
 * @param epoch rises whenever the saga changes hands
 * @param remaining how long the caller still waited for the answer when it sent the call
 */
public record SagaCall(UUID sagaId, String key, long epoch, Duration remaining) {
    private static final int LONGEST_KEY = 200;
    private static final Pattern UUID_TEXT = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

    /**
     * Reads it.
     *
     * @param headers gives the value of a header, or null: {@code request::getHeader}, {@code headers::getFirst}
     * @return empty when no step has sent it: none of the headers is there
     * @throws SagaRequestException {@code SAGA-REQ-001} when some are missing or none of ours
     */
    public static Optional<SagaCall> read(Function<String, @Nullable String> headers) {
        String key = headers.apply(SagaHeaders.KEY);
        String sagaId = headers.apply(SagaHeaders.ID);
        String epoch = headers.apply(SagaHeaders.EPOCH);
        String remaining = headers.apply(SagaHeaders.REMAINING);
        if (key == null && sagaId == null && epoch == null && remaining == null) {
            return Optional.empty();
        }
        return Optional.of(new SagaCall(
                id(sagaId),
                SagaRequestException.requireText(SagaHeaders.KEY, key, LONGEST_KEY),
                number(SagaHeaders.EPOCH, epoch, value -> value),
                number(SagaHeaders.REMAINING, remaining, Duration::ofMillis)));
    }

    private static UUID id(@Nullable String text) {
        String id = SagaRequestException.requireText(SagaHeaders.ID, text, 36);
        if (!UUID_TEXT.matcher(id).matches()) {
            throw new SagaRequestException("SAGA-REQ-001", SagaHeaders.ID, SagaHeaders.ID + " is no UUID");
        }
        return UUID.fromString(id);
    }

    private static <T> T number(String header, @Nullable String text, LongFunction<T> of) {
        String digits = SagaRequestException.requireText(header, text, 18);
        if (!digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new SagaRequestException("SAGA-REQ-001", header, header + " is no whole number, 0 or more");
        }
        return of.apply(Long.parseLong(digits));
    }
}
