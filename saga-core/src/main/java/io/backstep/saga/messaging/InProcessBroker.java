package io.backstep.saga.messaging;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A broker within the process: hands messages to its subscribers, on the relay's thread. A message counts as confirmed when all of them have
 * returned; when one throws, all get it again. So a subscriber must tell duplicates by the message's id.
 */
public final class InProcessBroker implements MessageBroker {
    /** Gets messages. */
    @FunctionalInterface
    public interface Subscriber {
        /**
         * A message has come. Short: the relay waits for it.
         *
         * @param id the message's id
         * @param message the message
         * @throws Exception when it is to come again
         */
        void receive(UUID id, OutboxMessage message) throws Exception;
    }

    private final Map<String, List<Subscriber>> subscribers = new ConcurrentHashMap<>();

    /** Makes a broker without subscribers; what nobody has subscribed to is confirmed and gone. */
    public InProcessBroker() {}

    /**
     * Adds a subscriber.
     *
     * @param aggregateType what it is told about
     * @param subscriber gets each message about it from now on
     */
    public void subscribe(String aggregateType, Subscriber subscriber) {
        subscribers
                .computeIfAbsent(aggregateType, unused -> new CopyOnWriteArrayList<>())
                .add(subscriber);
    }

    @Override
    public CompletionStage<?> send(UUID id, OutboxMessage message) {
        try {
            for (Subscriber each : subscribers.getOrDefault(message.aggregateType(), List.of())) {
                each.receive(id, message);
            }
            return CompletableFuture.completedFuture(id);
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
