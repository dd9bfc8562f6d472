package io.backstep.saga.examples.order;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The example's own settings.
 *
 * @param demo whether to place some orders at the start, and to show what becomes of them
 * @param answerWithin how long {@code POST /orders} waits for the end of the saga before it answers 202
 * @param undoAttempts how often a refund or a release is tried before it is left to an operator; few, so that one can watch it
 * @param undoDelay how long to wait before the second of them; doubled each time
 */
@ConfigurationProperties("example")
public record ExampleProperties(
        @DefaultValue("true") boolean demo,
        @DefaultValue("2s") Duration answerWithin,
        @DefaultValue("4") int undoAttempts,
        @DefaultValue("200ms") Duration undoDelay) {}
