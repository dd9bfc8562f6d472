package io.backstep.saga.simulation;

import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.ClaimRequest;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.OperatorWrite;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Told what the database has committed, before anything else happens. */
interface Commits {
    /** Nobody looks. */
    Commits UNSEEN = new Commits() {};

    default void inserted(Collection<UUID> sagas) {}

    /** What a write tells others; before any of its commit is {@link #written}. */
    default void posted(Mutation mutation) {}

    default void written(Mutation mutation) {}

    default void stale(Mutation mutation) {}

    /** Its caller is told that nobody knows, of it and of all that was in its batch. */
    default void inDoubt(Mutation mutation, boolean work, int batch) {}

    /** The database refuses its data; nothing of it is written. */
    default void refused(Mutation mutation) {}

    /** A node looks for due sagas. */
    default void looked(ClaimRequest request) {}

    default void claimed(UUID sagaId, String owner) {}

    default void recovered(UUID sagaId, String owner) {}

    default void renewed(UUID sagaId) {}

    default void hastened() {}

    /** Mail that its owner is about to get. */
    default void swept(List<Mail> mail) {}

    /** An insert finds its own row: the first try was applied, and nobody knew. */
    default void insertedBefore() {}

    default void purged() {}

    default void business(List<OperatorWrite> writes, List<Mail> mail, List<AuditEntry> audit, List<UUID> inserted) {}
}
