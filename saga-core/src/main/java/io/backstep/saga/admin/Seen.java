package io.backstep.saga.admin;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Shown;
import io.backstep.saga.engine.Operators;
import io.backstep.saga.engine.StoredSaga;
import io.backstep.saga.store.Inspected;
import io.backstep.saga.store.InstanceRow;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A saga as an operator meets it, and as this node understands it.
 *
 * @param found what the store says
 * @param stored what this node makes of it, or null when it cannot
 * @param children the children that it waits for; none when its steps cannot be read
 * @param obstacle why it cannot, or null
 */
record Seen(
        Inspected found,
        @Nullable StoredSaga stored,
        List<AwaitedChild> children,
        @Nullable String obstacle) {

    static Seen of(Operators operators, Inspected found) {
        InstanceRow row = found.row();
        String word = unknownWord(found);
        try {
            List<AwaitedChild> children = operators.awaitedChildren(row).stream()
                    .map(child -> AwaitedChild.of(child, operators))
                    .toList();
            if (word != null) {
                return new Seen(found, null, children, "this node does not know its " + word);
            }
            StoredSaga stored = operators.read(found).orElse(null);
            String unknown = "this node does not know " + row.name() + " v" + row.version();
            return new Seen(found, stored, children, stored == null ? unknown : null);
        } catch (SagaSerializationException e) {
            String unreadable = "its state cannot be read by this node (" + e.getMessage() + ")";
            String obstacle = word == null ? unreadable : "this node does not know its " + word;
            return new Seen(found, null, List.of(), obstacle);
        }
    }

    /** The word of its row that this version does not know, or null. */
    static @Nullable String unknownWord(Inspected found) {
        if (found.unknownStatus() != null) {
            return "status " + Shown.quoted(found.unknownStatus());
        }
        return found.unknownReason() == null ? null : "reason " + Shown.quoted(found.unknownReason());
    }

    InstanceRow row() {
        return found.row();
    }

    SagaStatus status() {
        return found.row().status();
    }

    Duration now() {
        return found.age();
    }

    /** Nobody holds it, and nobody was lost: what is recorded as under way was never called. */
    boolean released() {
        return status().active() && row().owner() == null;
    }

    /** Its owner is gone: whether somebody works on it is said by the lease, not by its status. */
    boolean lost() {
        return status().active() && row().owner() != null && !found.held();
    }

    String version() {
        return row().epoch() + "." + row().seq();
    }

    String shown() {
        return shown(status(), row().reason());
    }

    /** One that an operator has ended says nothing of why it had turned long before: that is no reason for its end. */
    static String shown(SagaStatus status, @Nullable SagaReason reason) {
        return reason == null || status == SagaStatus.FORCE_COMPLETED ? status.name() : status + " (" + reason + ")";
    }
}
