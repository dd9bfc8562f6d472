package io.backstep.saga.messaging;

import io.backstep.saga.AlertListener;
import io.backstep.saga.time.Ids;
import io.backstep.saga.time.MonotonicClock;
import io.backstep.saga.time.Randomness;
import io.backstep.saga.time.SystemPorts;
import io.backstep.saga.time.Timer;
import io.backstep.saga.time.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/** Builds an {@link OutboxRelay}. */
public final class OutboxRelayBuilder {
    private final OutboxStore store;
    private final MessageBroker broker;
    private final List<OutboxListener> listeners = new ArrayList<>();
    private final List<AlertListener> alertListeners = new ArrayList<>();
    private RelaySettings settings = RelaySettings.DEFAULT;
    private String nodeId = "outbox";
    private MonotonicClock clock = SystemPorts.clock();
    private Randomness randomness = SystemPorts.randomness();
    private Ids ids = SystemPorts.ids();
    private Waits waits = SystemPorts.waits();
    private @Nullable Timer timer;
    private @Nullable Executor executor;

    OutboxRelayBuilder(OutboxStore store, MessageBroker broker) {
        this.store = store;
        this.broker = broker;
    }

    /**
     * The settings.
     *
     * @param given instead of {@link RelaySettings#DEFAULT}
     * @return this
     */
    public OutboxRelayBuilder settings(RelaySettings given) {
        this.settings = given;
        return this;
    }

    /**
     * How this node is called: in the names of threads and in the table.
     *
     * @param id up to 100 characters
     * @return this
     */
    public OutboxRelayBuilder nodeId(String id) {
        this.nodeId = id;
        return this;
    }

    /**
     * Adds a listener.
     *
     * @param listener told what becomes of messages
     * @return this
     */
    public OutboxRelayBuilder listener(OutboxListener listener) {
        listeners.add(listener);
        return this;
    }

    /**
     * Adds a listener for what needs a person.
     *
     * @param listener told of messages that could not be sent
     * @return this
     */
    public OutboxRelayBuilder alertListener(AlertListener listener) {
        alertListeners.add(listener);
        return this;
    }

    /**
     * Another timer.
     *
     * @param port not closed by the relay
     * @return this
     */
    public OutboxRelayBuilder timer(Timer port) {
        this.timer = port;
        return this;
    }

    /**
     * What runs calls of the store, instead of threads of the relay's own.
     *
     * @param port not closed by the relay
     * @return this
     */
    public OutboxRelayBuilder executor(Executor port) {
        this.executor = port;
        return this;
    }

    /**
     * Another monotonic clock.
     *
     * @param port the clock
     * @return this
     */
    public OutboxRelayBuilder clock(MonotonicClock port) {
        this.clock = port;
        return this;
    }

    /**
     * Another source of draws.
     *
     * @param port the draws
     * @return this
     */
    public OutboxRelayBuilder randomness(Randomness port) {
        this.randomness = port;
        return this;
    }

    /**
     * Another source of ids, for what tells this relay from others.
     *
     * @param port the ids
     * @return this
     */
    public OutboxRelayBuilder ids(Ids port) {
        this.ids = port;
        return this;
    }

    /**
     * Another way to block who closes it.
     *
     * @param port the waits
     * @return this
     */
    public OutboxRelayBuilder waits(Waits port) {
        this.waits = port;
        return this;
    }

    /**
     * Builds it; nothing is sent yet.
     *
     * @return the relay
     */
    public OutboxRelay build() {
        SystemPorts system = new SystemPorts("saga-outbox-" + nodeId);
        ExecutorService own = system.pool("relay", settings.lanes());
        Runnable end = () -> {
            SystemPorts.end(own);
            system.close();
        };
        return new OutboxRelay(new RelayPorts(
                store,
                broker,
                settings,
                nodeId + "/" + ids.next(),
                clock,
                timer == null ? system.timer() : timer,
                executor == null ? own : executor,
                randomness,
                waits,
                List.copyOf(listeners),
                List.copyOf(alertListeners),
                end));
    }
}
