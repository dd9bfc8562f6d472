package io.backstep.saga.test;

import io.backstep.saga.Alert;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.messaging.FailedMessage;
import io.backstep.saga.messaging.InMemoryOutboxStore;
import io.backstep.saga.messaging.MessageBroker;
import io.backstep.saga.messaging.Outbox;
import io.backstep.saga.messaging.OutboxBacklog;
import io.backstep.saga.messaging.OutboxBatch;
import io.backstep.saga.messaging.OutboxMark;
import io.backstep.saga.messaging.OutboxMessage;
import io.backstep.saga.messaging.OutboxRelay;
import io.backstep.saga.messaging.OutboxStore;
import io.backstep.saga.messaging.RelaySettings;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InMemoryTransactions;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.time.Waits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Relays, a broker that does as it is told, and an outbox, in virtual time on one thread. */
final class RelayWorld {
    static final RelaySettings SETTINGS = new RelaySettings(
            Duration.ofMillis(500),
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            100,
            4,
            Retry.exponential(Duration.ofSeconds(1)).jitter(0).maxAttempts(3));

    final VirtualTime time = new VirtualTime();
    final InMemoryTransactions transactions = new InMemorySagaStore(time::now).transactions();
    final InMemoryOutboxStore rows = new InMemoryOutboxStore(transactions, time::now);
    final Outbox outbox;
    final List<Alert> alerts = new ArrayList<>();
    final Broker broker = new Broker();
    final Settling store;
    private final List<Node> nodes = new ArrayList<>();
    private int ids;

    /** A relay in a process that may die. */
    final class Node {
        private final OutboxRelay relay;
        private final List<Runnable> asleep = new ArrayList<>();
        private boolean dead;
        private boolean paused;

        Node(RelaySettings settings) {
            this.relay = OutboxRelay.builder(store, this::send)
                    .settings(settings)
                    .clock(time.clock())
                    .timer((delay, task) -> time.timer().after(delay, alive(task)))
                    .executor(task -> time.soon(alive(task)))
                    .randomness(() -> 0)
                    .ids(RelayWorld.this::nextId)
                    .waits(waits())
                    .alertListener(alerts::add)
                    .build();
            nodes.add(this);
        }

        /** Hears of the answer when it is awake. */
        private CompletionStage<?> send(UUID id, OutboxMessage message) {
            CompletableFuture<Object> heard = new CompletableFuture<>();
            broker.send(id, message)
                    .whenComplete((answer, failure) -> alive(() -> {
                                if (failure == null) {
                                    heard.complete(id);
                                } else {
                                    heard.completeExceptionally(failure);
                                }
                            })
                            .run());
            return heard;
        }

        private Runnable alive(Runnable task) {
            return () -> {
                if (paused) {
                    asleep.add(task);
                } else if (!dead) {
                    task.run();
                }
            };
        }

        /** As a long collection of garbage: all that it does comes late. */
        void pause() {
            paused = true;
        }

        void resume() {
            paused = false;
            asleep.forEach(task -> time.soon(alive(task)));
        }

        void start() {
            relay.start();
        }

        OutboxRelay relay() {
            return relay;
        }

        /** Nothing of it runs any more; what it has sent is under way. */
        void kill() {
            dead = true;
        }
    }

    /** What a broker has got. */
    record Got(UUID id, OutboxMessage message, Instant at) {}

    /** Confirms at once, unless it is told what to do for a type of message. */
    final class Broker implements MessageBroker {
        final List<Got> got = new ArrayList<>();
        private final Map<String, Deque<CompletableFuture<Object>>> planned = new HashMap<>();
        boolean throwsOnce;
        Duration slow = Duration.ZERO;

        /** What the next sends of messages of a type end with. */
        void next(String type, CompletableFuture<Object> answer) {
            planned.computeIfAbsent(type, unused -> new ArrayDeque<>()).add(answer);
        }

        /** What a send ends with that is not planned. */
        Function<Got, CompletableFuture<Object>> otherwise = one -> confirmed(one.id());

        @Override
        public CompletionStage<?> send(UUID id, OutboxMessage message) {
            Got one = new Got(id, message, time.now());
            got.add(one);
            if (throwsOnce) {
                throwsOnce = false;
                throw new IllegalStateException("planned");
            }
            Deque<CompletableFuture<Object>> answers = planned.get(message.type());
            return answers == null || answers.isEmpty() ? otherwise.apply(one) : answers.remove();
        }

        private CompletableFuture<Object> confirmed(UUID id) {
            CompletableFuture<Object> answer = new CompletableFuture<>();
            if (slow.isZero()) {
                answer.complete(id);
            } else {
                time.timer().after(slow, () -> answer.complete(id));
            }
            return answer;
        }

        List<String> types() {
            return got.stream().map(one -> one.message().type()).toList();
        }
    }

    /** What goes wrong when marks are written. */
    enum Fault {
        NONE,
        LOST_BEFORE_COMMIT,
        LOST_AFTER_COMMIT
    }

    /** Fails when it is told to. */
    static final class Settling implements OutboxStore {
        private final OutboxStore right;
        final Deque<Fault> faults = new ArrayDeque<>();
        int settled;

        Settling(OutboxStore right) {
            this.right = right;
        }

        @Override
        public boolean settle(OutboxBatch batch, List<OutboxMark> marks) {
            Fault fault = faults.isEmpty() ? Fault.NONE : faults.remove();
            settled++;
            if (fault == Fault.LOST_BEFORE_COMMIT) {
                throw lost();
            }
            boolean answer = right.settle(batch, marks);
            if (fault == Fault.LOST_AFTER_COMMIT) {
                throw lost();
            }
            return answer;
        }

        private static SagaStoreException lost() {
            return new SagaStoreException("SAGA-DB-005", "planned", SagaStoreException.Effect.UNKNOWN, null);
        }

        @Override
        public void insert(UUID id, OutboxMessage message) {
            right.insert(id, message);
        }

        @Override
        public Optional<OutboxBatch> claim(String owner, Duration lease, int limit) {
            return right.claim(owner, lease, limit);
        }

        @Override
        public OutboxBacklog backlog() {
            return right.backlog();
        }

        @Override
        public List<FailedMessage> failed(int limit) {
            return right.failed(limit);
        }

        @Override
        public boolean requeue(UUID id) {
            return right.requeue(id);
        }

        @Override
        public boolean discard(UUID id) {
            return right.discard(id);
        }

        @Override
        public int purge(Duration age, int limit) {
            return right.purge(age, limit);
        }
    }

    RelayWorld() {
        this(UnaryOperator.identity());
    }

    RelayWorld(UnaryOperator<OutboxStore> around) {
        this.store = new Settling(around.apply(rows));
        this.outbox = new Outbox(store, transactions).ids(this::nextId);
    }

    private UUID nextId() {
        return new UUID(7, ids++);
    }

    private Waits waits() {
        return new Waits() {
            @Override
            public boolean on(CompletableFuture<?> signal, Duration atMost) {
                time.runUntil(signal::isDone, atMost);
                return true;
            }

            @Override
            public void until(CompletableFuture<?> signal) {
                throw new UnsupportedOperationException();
            }
        };
    }

    Node node() {
        return node(SETTINGS);
    }

    Node node(RelaySettings settings) {
        return new Node(settings);
    }

    static OutboxMessage message(String aggregateId, String type) {
        return OutboxMessage.of("order", aggregateId, type).text("{}").header("tenant", "a");
    }

    UUID publish(String aggregateId, String type) {
        return GuardFixture.tried(() -> transactions.inTransaction(() -> outbox.publish(message(aggregateId, type))));
    }

    void runUntil(BooleanSupplier condition) {
        time.runUntil(condition, Duration.ofHours(1));
    }

    void run(Duration duration) {
        time.run(duration);
    }
}
