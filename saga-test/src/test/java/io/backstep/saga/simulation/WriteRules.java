package io.backstep.saga.simulation;

import static io.backstep.saga.simulation.Model.require;

import io.backstep.saga.Outcome;
import io.backstep.saga.Phase;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.StepKind;
import io.backstep.saga.definition.Waiting;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mail;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.OperatorWrite;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What must hold of one write beside its fence and its history: of mail, releases, limits, operators' writes and deletions. */
final class WriteRules {
    static final Duration KEPT = Duration.ofMinutes(1);

    private static final int MOST_TAKEOVERS = 5;
    private static final Pattern UNDER_WAY =
            Pattern.compile("\\[\"(EXECUTING\"(,\\d+)*|(COMPENSATING|CONFIRMING)\"(,\\d+){0,5})]");
    private static final Pattern BEING_CONFIRMED = Pattern.compile("\\[\"CONFIRMING\"(,\\d+){0,5}]");

    private static final String SIGNAL = "signal:";
    private static final String CHILD = "child:";
    private static final int AWAITING = 4;

    private final World world;

    private final Map<UUID, Map<String, Mail>> letters = new HashMap<>();
    private final Map<UUID, Set<String>> unread = new HashMap<>();
    private final Map<UUID, Set<String>> kept = new HashMap<>();
    private final Map<UUID, Set<String>> untold = new HashMap<>();

    WriteRules(World world) {
        this.world = world;
    }

    void posted(Mail letter) {
        letters.computeIfAbsent(letter.sagaId(), unused -> new HashMap<>()).put(letter.messageId(), letter);
        unread.computeIfAbsent(letter.sagaId(), unused -> new LinkedHashSet<>()).add(letter.messageId());
    }

    /** By its owner; the model knows its history. */
    void written(Watched saga, Mutation mutation, InstanceRow before, InstanceRow after) {
        boolean settled =
                saga.model.turned || saga.model.decided() || after.status().ended();
        boolean waits = after.steps().contains("\"pending\"");
        boolean wished = mutation.mail().stream().anyMatch(id -> !id.startsWith(SIGNAL) && !id.startsWith(CHILD))
                || before.steps().contains("\"pending\"");
        require(!wished || settled || waits, "MAIL", () -> "a wish was merged, and nothing follows: " + after);
        boolean released = before.owner() != null
                && after.owner() == null
                && after.status().active();
        require(
                !released || !UNDER_WAY.matcher(after.steps()).find(),
                "RELEASE",
                () -> "it is released with an attempt under way: " + after.steps());
        boolean parked = after.status() == SagaStatus.FAILED && !saga.model.refused;
        require(
                !parked
                        || (!after.steps().contains("[\"EXECUTING\"")
                                && !BEING_CONFIRMED.matcher(after.steps()).find()),
                "AWAIT",
                () -> "it is parked with an attempt under way: " + after.steps());
        saga.model.steps.forEach(step ->
                require(step.takeovers <= MOST_TAKEOVERS, "I18", () -> "a step has cost " + step.takeovers + " nodes"));
        signals(saga, mutation, after);
        boolean spent = saga.shape.steps().stream()
                .anyMatch(step -> step.is(StepKind.RETRIABLE)
                        && (saga.model.calledTheOnlyTime(step)
                                || step.attempts() > 0 && saga.model.facts(step).failures >= step.attempts()));
        require(
                spent || saga.model.confirms.spent() || after.reason() != SagaReason.RETRIABLE_EXHAUSTED,
                "E3",
                () -> "parked, and no retriable step or confirm has spent its attempts: " + after.steps());
    }

    void merged(InstanceRow after, Mutation mutation) {
        Set<String> left = unread.getOrDefault(after.sagaId(), Set.of());
        require(left.containsAll(mutation.mail()), "MAIL", () -> mutation.mail() + " is merged, unread is " + left);
        mutation.mail().forEach(left::remove);
        Set<String> known = kept.computeIfAbsent(after.sagaId(), unused -> new LinkedHashSet<>());
        known.addAll(mutation.kept());
        world.tally.reachIf(
                mutation.mail().stream().filter(known::remove).count() > 0
                        && mutation.history().stream().anyMatch(line -> line.outcome() == Outcome.SUCCEEDED),
                Goal.KEPT_SIGNAL_TAKEN);
        world.tally.reachIf(!mutation.kept().isEmpty(), Goal.SIGNAL_KEPT);
    }

    /** What a step waits for is what somebody has sent; nobody's signal is dropped while its step may wait, and none is overlooked: but a write of a transactional step may leave one to the next write. */
    private void signals(Watched saga, Mutation mutation, InstanceRow after) {
        Map<String, Mail> sent = letters.getOrDefault(after.sagaId(), Map.of());
        List<Mail.Answer> merged = mutation.mail().stream()
                .map(sent::get)
                .flatMap(letter -> Stream.ofNullable(letter.answer()))
                .toList();
        for (HistoryEntry line : mutation.history()) {
            boolean answered = line.phase() == Phase.ACTION
                    && saga.shape.step(line.step()).waitsFor(Waiting.What.SIGNAL)
                    && line.outcome() != Outcome.TIMED_OUT;
            require(
                    !answered || merged.stream().anyMatch(answer -> isOf(answer, line)),
                    "SIGNAL",
                    () -> line.step() + " ends as " + line.outcome() + ", and merged is " + merged);
        }
        for (Mail.Answer answer : merged) {
            Facts facts = saga.model.facts(saga.shape.step(answer.step()));
            boolean late = facts.done || facts.rejected || facts.skipped || facts.silent || saga.model.turned;
            require(late, "SIGNAL", () -> "a signal for " + answer.step() + " is dropped: " + after.steps());
        }
        boolean local = mutation.history().stream()
                .anyMatch(line -> line.phase() == Phase.ACTION
                        && line.outcome() == Outcome.SUCCEEDED
                        && saga.shape.step(line.step()).local());
        Set<String> before = untold.getOrDefault(after.sagaId(), Set.of());
        Set<String> now = new LinkedHashSet<>();
        for (String id : kept.getOrDefault(after.sagaId(), Set.of())) {
            Mail.Answer answer = sent.get(id).answer();
            if (answer != null && after.status() == SagaStatus.RUNNING && awaits(after.steps(), answer.step())) {
                boolean next =
                        after.owner() != null && !before.contains(id); // told by the next write, whoever makes it
                require(next && local, "SIGNAL", () -> answer + " is kept, and its step waits: " + after.steps());
                now.add(id);
            }
        }
        untold.put(after.sagaId(), now);
    }

    private static boolean isOf(Mail.Answer answer, HistoryEntry line) {
        Outcome outcome = answer.code() == null ? Outcome.SUCCEEDED : Outcome.REJECTED;
        return answer.step().equals(line.step())
                && outcome == line.outcome()
                && Objects.equals(answer.result(), line.result())
                && Objects.equals(answer.code(), line.errorCode());
    }

    private static boolean awaits(String steps, String step) {
        Matcher flags = Pattern.compile("\"" + step + "\":\\[\"WAITING\",\\d+,\\d+,\\d+,(\\d+)")
                .matcher(steps);
        return flags.find() && (Integer.parseInt(flags.group(1)) & AWAITING) != 0;
    }

    /** What came for a saga that had ended may be put aside by now, or not: only the wish to undo it counts. */
    void reopened(InstanceRow before) {
        if (before.status().ended()) {
            unread.getOrDefault(before.sagaId(), new LinkedHashSet<>()).retainAll(inTheTables(before.sagaId()));
        }
    }

    /** What came for it before it was there may be put aside by now, as of an earlier life that was purged. */
    void inserted(UUID sagaId) {
        unread.getOrDefault(sagaId, new LinkedHashSet<>()).retainAll(inTheTables(sagaId));
    }

    private Set<String> inTheTables(UUID sagaId) {
        return world.database.kept.inspect(sagaId).stream()
                .flatMap(seen -> seen.mail().stream())
                .map(Mail::messageId)
                .collect(Collectors.toSet());
    }

    /** Mail is in the tables until a write has merged it, or the saga has ended. */
    void mail(InstanceRow row) {
        if (!row.status().ended()) {
            Set<String> left = unread.getOrDefault(row.sagaId(), Set.of());
            Set<String> kept = inTheTables(row.sagaId());
            require(kept.equals(left), "MAIL", () -> "unread is " + left + ", the tables have " + kept);
        }
    }

    void operated(OperatorWrite write, InstanceRow before) {
        Fence fence = write.mutation().fence();
        require(
                fence.epoch() == before.epoch() && fence.seq() == before.seq(),
                "I7",
                () -> "an operator's write of " + fence + " was accepted at " + before);
    }

    void purged(InstanceRow row) {
        require(row.status().ended(), "G23", () -> "purged although it is " + row.status());
        require(
                !row.updatedAt().plus(KEPT).isAfter(world.databaseNow()),
                "G23",
                () -> "purged at " + world.databaseNow() + " although it ended at " + row.updatedAt());
    }

    static void dueOrNot(InstanceRow row) {
        require(
                row.status().active() == (row.dueAt() != null),
                "I6",
                () -> row.status() + " with due time " + row.dueAt());
        require(row.status().active() || row.owner() == null, "I6", () -> row.status() + " with owner " + row.owner());
        SagaReason reason = row.reason();
        boolean parked = reason != null && (reason.parks() || reason == SagaReason.OPERATOR);
        require(row.status() != SagaStatus.FAILED || parked, "E3", () -> "parked for " + reason);
    }
}
