package io.backstep.saga.store;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One write of a saga by its owner. It happens as a whole or not at all, and only if the fence still holds; it raises {@code seq}
 * by one.
 *
 * @param fence what it expects to find
 * @param status the status
 * @param reason why it turned or is parked, or null
 * @param steps the encoded step states, or null to leave what is there
 * @param hold what happens to owner and due time
 * @param history lines to append
 * @param compensations rows of the compensation log to insert or bring up to date
 * @param mail the ids of the messages that it merges: they are not new any more, nor kept
 * @param kept the ids of messages that it keeps for later: they are not new any more, and come along with each claim
 * @param children sagas that it starts: nobody's, and with this one as their parent
 * @param posts messages to other sagas
 */
public record Mutation(
        Fence fence,
        SagaStatus status,
        @Nullable SagaReason reason,
        @Nullable String steps,
        Hold hold,
        List<HistoryEntry> history,
        List<CompensationEntry> compensations,
        List<String> mail,
        List<String> kept,
        List<NewInstance> children,
        List<Mail> posts) {
    /** Copies the lists. */
    public Mutation {
        history = List.copyOf(history);
        compensations = List.copyOf(compensations);
        mail = List.copyOf(mail);
        kept = List.copyOf(kept);
        children = List.copyOf(children);
        posts = List.copyOf(posts);
    }

    /**
     * The same write under another fence.
     *
     * @param other what it expects to find
     * @return the write
     */
    public Mutation under(Fence other) {
        return new Mutation(other, status, reason, steps, hold, history, compensations, mail, kept, children, posts);
    }

    /**
     * The same write with another effect on owner and due time.
     *
     * @param other what happens to them
     * @return the write
     */
    public Mutation with(Hold other) {
        return new Mutation(fence, status, reason, steps, other, history, compensations, mail, kept, children, posts);
    }

    /**
     * A write that starts nothing and tells nobody.
     *
     * @param fence what it expects to find
     * @param status the status
     * @param reason why it turned or is parked, or null
     * @param steps the encoded step states, or null to leave what is there
     * @param hold what happens to owner and due time
     * @param history lines to append
     * @param compensations rows of the compensation log to insert or bring up to date
     * @param mail the ids of the messages that it merges
     * @param kept the ids of messages that it keeps for later
     */
    public Mutation(
            Fence fence,
            SagaStatus status,
            @Nullable SagaReason reason,
            @Nullable String steps,
            Hold hold,
            List<HistoryEntry> history,
            List<CompensationEntry> compensations,
            List<String> mail,
            List<String> kept) {
        this(fence, status, reason, steps, hold, history, compensations, mail, kept, List.of(), List.of());
    }

    /**
     * A write that merges no mail, either.
     *
     * @param fence what it expects to find
     * @param status the status
     * @param reason why it turned or is parked, or null
     * @param steps the encoded step states, or null to leave what is there
     * @param hold what happens to owner and due time
     * @param history lines to append
     * @param compensations rows of the compensation log to insert or bring up to date
     */
    public Mutation(
            Fence fence,
            SagaStatus status,
            @Nullable SagaReason reason,
            @Nullable String steps,
            Hold hold,
            List<HistoryEntry> history,
            List<CompensationEntry> compensations) {
        this(fence, status, reason, steps, hold, history, compensations, List.of(), List.of());
    }
}
