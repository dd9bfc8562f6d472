package io.backstep.saga.simulation;

import io.backstep.saga.store.AuditEntry;
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

    default void written(Mutation mutation) {}

    default void stale(Mutation mutation) {}

    default void claimed(UUID sagaId, String owner) {}

    default void recovered(UUID sagaId, String owner) {}

    default void renewed(UUID sagaId) {}

    default void hastened() {}

    default void purged() {}

    default void business(List<OperatorWrite> writes, List<Mail> mail, List<AuditEntry> audit, List<UUID> inserted) {}
}
