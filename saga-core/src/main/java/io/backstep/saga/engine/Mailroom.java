package io.backstep.saga.engine;

import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Sweep;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Goes through new mail when there is some. What is for a saga of this node goes to its loop; a saga that nobody holds becomes due, and
 * is taken.
 */
final class Mailroom {
    private final Node node;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicLong sweeps = new AtomicLong();
    private volatile Consumer<UUID> undo = sagaId -> {};
    private volatile boolean again;
    private volatile boolean running;

    Mailroom(Node node) {
        this.node = node;
    }

    /**
     * From now on it looks.
     *
     * @param undoes turns a saga that has completed and is to be undone for its parent
     */
    void start(Consumer<UUID> undoes) {
        undo = undoes;
        running = true;
    }

    void stop() {
        running = false;
    }

    /** Looks now, or once more when it is looking. */
    void look() {
        if (!running) {
            return;
        }
        again = true;
        if (looking.compareAndSet(false, true)) {
            again = false;
            try {
                node.keeper.execute(this::sweep);
            } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
                looking.set(false);
                node.lookout.rest();
            } catch (Throwable e) {
                looking.set(false);
                throw e;
            }
        }
    }

    private void sweep() {
        long sweep = sweeps.incrementAndGet();
        List<Integer> known = List.copyOf(node.registry.ids());
        node.store.sweepMail(node.lease.owner(), known, (found, failure) -> looked(sweep, found));
    }

    /** How many sweeps have begun. */
    long sweeps() {
        return sweeps.get();
    }

    private void looked(long sweep, @Nullable Sweep found) {
        looking.set(false);
        if (found == null) {
            node.lookout.rest();
            return;
        }
        found.putAside().forEach(this::late);
        found.mail().stream()
                .collect(Collectors.groupingBy(Mail::sagaId))
                .forEach((sagaId, letters) -> deliver(sweep, sagaId, letters));
        node.lookout.claim();
        if (again) {
            look();
        }
    }

    private void late(Sweep.PutAside aside) {
        Registered registered = aside.definitionId() == null ? null : node.registry.byId(aside.definitionId());
        node.notifier.late(registered == null ? null : registered.definition().name(), List.of(aside.mail()));
    }

    private void deliver(long sweep, UUID sagaId, List<Mail> mail) {
        InstanceLoop loop = node.held(sagaId);
        if (loop != null) {
            loop.mailed(mail, sweep);
        } else if (mail.stream().anyMatch(letter -> letter.kind() == Mail.Kind.UNDO)) {
            undo.accept(sagaId);
        }
    }
}
