package io.backstep.saga.simulation;

import io.backstep.saga.store.AuditEntry;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.OperatorWrite;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** What a transaction does, so that the server can do it again when the commit arrives late. */
final class SimTx {
    final List<Runnable> replay = new ArrayList<>();
    final List<Runnable> effects = new ArrayList<>();
    final Set<Object> locked = new LinkedHashSet<>();
    final List<UUID> inserted = new ArrayList<>();
    final List<OperatorWrite> operated = new ArrayList<>();
    final List<Mail> posted = new ArrayList<>();
    final List<AuditEntry> audited = new ArrayList<>();
    /** It is committed, but nobody learns of it. */
    boolean answerLost;
}
