package io.backstep.saga.chaos;

import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.StepContext;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/**
 * Calls the far ends of remote steps, which are functions of a database that nothing is done to: what {@code far.sql} makes. Each call
 * is noted there, with what the caller believed.
 */
public final class Far {
    private static final String CALL = "select far_call(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String LOOK = "select key from far_effect where key = ? and state = 'DONE'";

    private final DataSource dataSource;
    private final String node;
    private final RealClock clock;
    private final Failpoints failpoints;

    /**
     * Makes the client of one node.
     *
     * @param dataSource of the far ends
     * @param node the name that is noted with each call
     * @param clock what time it is
     * @param failpoints told before and after each call
     */
    public Far(DataSource dataSource, String node, RealClock clock, Failpoints failpoints) {
        this.dataSource = dataSource;
        this.node = node;
        this.clock = clock;
        this.failpoints = failpoints;
    }

    Done act(StepContext<Task> context, Mood mood) throws Exception {
        return act(context, Part.of(context), mood);
    }

    Done act(StepContext<Task> context, Part part, Mood mood) throws Exception {
        call(context, part, mood, "action");
        return new Done(context.idempotencyKey());
    }

    void undo(StepContext<Task> context, Mood mood) throws Exception {
        undo(context, Part.of(context), mood);
    }

    void undo(StepContext<Task> context, Part part, Mood mood) throws Exception {
        call(context, part, mood, "compensation");
    }

    /** Of what was tried. */
    void confirm(StepContext<Task> context, Mood mood) throws Exception {
        call(context, Part.of(context), mood, "confirm");
    }

    /** What a condition says, or the input of a child: code of a step that calls nobody. */
    <T> T asked(String what, T answer) {
        failpoints.hit(what + ".before");
        failpoints.hit(what + ".after");
        return answer;
    }

    /** The result, when it was done; else a call may still be on its way. */
    Optional<Done> probe(StepContext<Task> context) throws SQLException {
        failpoints.hit("probe.before");
        boolean found;
        try (Connection connection = dataSource.getConnection();
                PreparedStatement look = connection.prepareStatement(LOOK)) {
            look.setString(1, context.idempotencyKey());
            try (ResultSet row = look.executeQuery()) {
                found = row.next();
            }
        }
        failpoints.hit("probe.after");
        return found ? Optional.of(new Done(context.idempotencyKey())) : Optional.empty();
    }

    private void call(StepContext<Task> context, Part part, Mood mood, String phase) throws Exception {
        OffsetDateTime begun = clock.now().atOffset(ZoneOffset.UTC);
        boolean owner = context.isOwner();
        failpoints.hit(phase + ".before");
        if (mood == Mood.SLOW) {
            Thread.sleep(Duration.ofMillis(ThreadLocalRandom.current().nextInt(20, 120))
                    .toMillis());
        }
        String verdict = verdict(context, part, mood, phase, begun, owner);
        failpoints.hit(phase + ".after");
        switch (verdict) {
            case "FAILED" -> throw new IOException("the far end of " + context.stepName() + " failed");
            case "REJECTED" -> throw new StepRejectedException("NO", "the far end says no");
            case "REFUSED" -> throw new IOException("too late: it has been undone, or it was confirmed or never tried");
            default -> lose(mood, context);
        }
    }

    private static void lose(Mood mood, StepContext<Task> context) throws IOException {
        if (mood == Mood.LOSES_REPLY) {
            throw new IOException("the reply of the far end of " + context.stepName() + " is lost");
        }
    }

    private String verdict(
            StepContext<Task> context, Part part, Mood mood, String phase, OffsetDateTime begun, boolean owner)
            throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement call = connection.prepareStatement(CALL)) {
            call.setString(1, context.idempotencyKey());
            call.setObject(2, context.sagaId());
            call.setString(3, part.step());
            call.setString(4, phase.toUpperCase(java.util.Locale.ROOT));
            call.setInt(5, context.attempt());
            call.setLong(6, context.epoch());
            call.setString(7, node);
            call.setBoolean(8, owner);
            call.setObject(9, begun);
            call.setString(10, mood.name());
            call.setBoolean(11, Shapes.careful(part.step()));
            call.setString(12, part.definition());
            try (ResultSet row = call.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    /**
     * From now on a saga's failing ends do what they are told.
     *
     * @param sagaId the saga
     * @throws SQLException when the database refuses
     */
    public void heal(UUID sagaId) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("insert into far_healed values (?) on conflict do nothing")) {
            insert.setObject(1, sagaId);
            insert.executeUpdate();
        }
    }
}
