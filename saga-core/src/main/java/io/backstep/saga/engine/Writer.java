package io.backstep.saga.engine;

import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.SagaStoreException;
import io.backstep.saga.store.StoreCallback;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Gets one saga's writes into the store, whatever happens on the way. After a failure with an unknown effect nothing that this node
 * remembers is trusted: the epoch is taken by a write, and what comes back tells whether the lost write was applied.
 */
final class Writer {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Node node;
    private final InstanceLoop loop;
    private Duration pause = FIRST_PAUSE;

    Writer(Node node, InstanceLoop loop) {
        this.node = node;
        this.loop = loop;
    }

    void write(Prepared prepared) {
        node.journal.submit(prepared.write(), answer(prepared));
    }

    private StoreCallback<Acceptance> answer(Prepared prepared) {
        return (acceptance, failure) -> loop.onQueue(() -> answered(prepared, acceptance, failure));
    }

    private void answered(Prepared prepared, @Nullable Acceptance acceptance, @Nullable Throwable failure) {
        if (acceptance == null) {
            failed(prepared, failure);
            return;
        }
        switch (acceptance.kind()) {
            case ACCEPTED -> {
                pause = FIRST_PAUSE;
                loop.accepted(prepared);
            }
            case STALE -> loop.lost("another owner has taken it");
            case REFUSED -> loop.refused(prepared, acceptance.cause());
            case LOCKED -> {
                loop.rowLock.met();
                later(() -> node.journal.submitLocked(prepared.write(), answer(prepared)));
            }
        }
    }

    private void failed(Prepared prepared, @Nullable Throwable failure) {
        if (failure instanceof SagaStoreException store && store.effect() == SagaStoreException.Effect.NONE) {
            later(() -> write(prepared));
        } else {
            recover(prepared, () -> write(prepared.under(loop.fence())));
        }
    }

    /**
     * Takes the epoch back.
     *
     * @param inDoubt the transition whose write may be applied, or null when none is
     * @param notApplied what to do when the saga is still this node's and the write is not applied, and never will be
     */
    void recover(@Nullable Prepared inDoubt, Runnable notApplied) {
        calling(() -> recoverNow(inDoubt, notApplied), () -> recover(inDoubt, notApplied));
    }

    private void calling(Runnable call, Runnable again) {
        node.recoveries.enter(() -> {
            try {
                node.recoverer.execute(call);
            } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter when no thread can be made
                node.recoveries.unused();
                later(again);
            }
        });
    }

    private void recoverNow(@Nullable Prepared inDoubt, Runnable notApplied) {
        long sent = node.clock.nanos();
        node.store.recover(loop.held(), node.lease, (claimed, failure) -> {
            node.recoveries.answered(sent, failure);
            loop.onQueue(() -> recovered(inDoubt, notApplied, sent, claimed, failure));
        });
    }

    private void recovered(
            @Nullable Prepared inDoubt,
            Runnable notApplied,
            long sent,
            @Nullable Optional<Claimed> claimed,
            @Nullable Throwable failure) {
        if (claimed == null) {
            if (node.store.isLocked(failure)) {
                loop.rowLock.met();
            }
            later(() -> recover(inDoubt, notApplied));
            return;
        }
        if (claimed.isEmpty()) {
            gone(inDoubt);
            return;
        }
        pause = FIRST_PAUSE;
        Fence expected = loop.fence();
        Claimed mine = claimed.get();
        Ownership again = Ownership.of(mine, sent, node.clock.nanos(), node.tuning.lease());
        if (mine.row().seq() == expected.seq()) {
            loop.recovered(again);
            notApplied.run();
        } else if (inDoubt != null && mine.row().seq() == expected.seq() + 1) {
            loop.recovered(new Ownership(
                    new Fence(expected.sagaId(), mine.row().epoch(), expected.seq()), again.leaseEnd(), again.clock()));
            loop.accepted(inDoubt.held());
            if (node.stopping() || inDoubt.write().hold().kind() == Hold.Kind.RELEASE) {
                loop.stop(); // it was released, perhaps, and is this node's again
            }
        } else {
            loop.lost("its row was written by another");
        }
    }

    /** Not this node's any more: another owner has it, or the write in doubt ended or released it. Nothing is to come, so a read may tell. */
    private void gone(@Nullable Prepared inDoubt) {
        if (inDoubt == null) {
            loop.lost("another owner has taken it");
        } else {
            calling(() -> findNow(inDoubt), () -> gone(inDoubt));
        }
    }

    private void findNow(Prepared inDoubt) {
        long sent = node.clock.nanos();
        try {
            Optional<InstanceRow> row = node.store.find(loop.sagaId());
            node.recoveries.answered(sent, null);
            loop.onQueue(() -> found(inDoubt, row));
        } catch (Throwable e) {
            node.recoveries.answered(sent, e);
            loop.onQueue(() -> later(() -> gone(inDoubt)));
        }
    }

    private void found(Prepared inDoubt, Optional<InstanceRow> row) {
        if (row.filter(this::isTheLostWrite).isPresent()) {
            loop.accepted(inDoubt);
        } else {
            loop.lost("another owner has taken it");
        }
    }

    private boolean isTheLostWrite(InstanceRow row) {
        Fence expected = loop.fence();
        return row.epoch() == expected.epoch() && row.seq() == expected.seq() + 1;
    }

    private void later(Runnable again) {
        node.timer.after(pause.plus(jitter()), () -> loop.onQueue(again));
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
    }

    private Duration jitter() {
        return Duration.ofNanos((long) (pause.toNanos() * node.randomness.next()));
    }
}
