package io.backstep.saga.test;

import io.backstep.saga.engine.SagaClient;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * When somebody does something with a saga that is under way.
 *
 * @param time after its start
 * @param what is handed a client, and the id of the saga
 */
record Moment(Duration time, BiConsumer<SagaClient, UUID> what) {}
