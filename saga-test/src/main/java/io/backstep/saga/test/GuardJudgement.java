package io.backstep.saga.test;

import io.backstep.saga.test.GuardCourse.Heard;
import io.backstep.saga.test.GuardCourse.Kind;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What is promised of calls at once, whatever order they came in; knows nothing of how the guard works. */
final class GuardJudgement {
    /** Answers that tell a saga that its step is undone. */
    static final Set<Kind> UNDONE = EnumSet.of(Kind.DONE, Kind.DUPLICATE, Kind.EMPTY);

    interface Check {
        void that(boolean right, String what);
    }

    private final List<Heard> actions;
    private final List<Heard> compensations;
    private final Heard confirmation;
    private final long did;
    private final long undid;
    private final long confirmed;
    private final Check check;

    GuardJudgement(
            List<Heard> actions,
            List<Heard> compensations,
            Heard confirmation,
            Collection<String> written,
            Check check) {
        this.actions = actions;
        this.compensations = compensations;
        this.confirmation = confirmation;
        this.did = count(written, "did");
        this.undid = count(written, "undid");
        this.confirmed = count(written, "confirmed");
        this.check = check;
    }

    private static long count(Collection<String> written, String what) {
        return written.stream().filter(each -> each.startsWith(what)).count();
    }

    private static Stream<Heard> of(List<Heard> all, Set<Kind> kinds) {
        return all.stream().filter(each -> kinds.contains(each.kind()));
    }

    private static Stream<Heard> of(List<Heard> all, Kind kind) {
        return of(all, EnumSet.of(kind));
    }

    void judge() {
        effects();
        answers();
        order();
        confirmation();
    }

    private void effects() {
        boolean undone = of(compensations, UNDONE).findAny().isPresent();
        boolean booked = of(actions, Kind.BOOKED).findAny().isPresent();
        check.that(did <= 1, "it took effect " + did + " times");
        check.that(undid <= did, "it was undone " + undid + " times, and took effect " + did + " times");
        check.that(!undone || did == undid, "it is undone, and yet there");
        check.that(undone || undid == 0, "it was undone, and nobody knows");
        check.that(booked == (did == 1), "answers of success do not tell of " + did + " effects");
    }

    private void answers() {
        Set<String> results = new HashSet<>();
        of(actions, Kind.BOOKED).forEach(each -> results.add(each.result()));
        check.that(results.size() <= 1, "different results: " + results);
        long first = of(compensations, EnumSet.of(Kind.DONE, Kind.EMPTY)).count();
        boolean again = of(compensations, Kind.DUPLICATE).findAny().isPresent();
        check.that(first <= 1, "undone more than once");
        boolean cancelled = confirmation.kind() == Kind.NOTHING;
        check.that(!again || first == 1 || cancelled, "a duplicate of nothing");
        check.that(of(compensations, Kind.EMPTY).findAny().isEmpty() || did == 0, "there was something to undo");
        check.that(of(compensations, Kind.DONE).count() == undid, "answers of DONE do not tell of " + undid + " undos");
    }

    private void order() {
        of(actions, Kind.REFUSED)
                .forEach(refused -> check.that(
                        Stream.concat(of(compensations, UNDONE), of(List.of(confirmation), Kind.NOTHING))
                                .anyMatch(undone -> undone.begun() < refused.ended()),
                        "refused before anybody compensated"));
        of(compensations, UNDONE)
                .forEach(undone -> of(actions, Kind.BOOKED)
                        .forEach(booked -> check.that(
                                booked.begun() < undone.ended(), "an action after its compensation was let through")));
        of(actions, Kind.BOOKED)
                .forEach(booked -> of(compensations, Kind.EMPTY)
                        .forEach(empty -> check.that(empty.begun() < booked.ended(), "an effect was not seen")));
    }

    private void confirmation() {
        boolean done = confirmation.kind() == Kind.CONFIRMED;
        boolean undone = of(compensations, UNDONE).findAny().isPresent();
        check.that(confirmed == (done ? 1 : 0), "answers of confirmation do not tell of " + confirmed);
        check.that(!done || did == 1, "confirmed, and it has not taken effect");
        check.that(!done || !undone, "confirmed and undone");
        of(compensations, Kind.REFUSED)
                .forEach(refused -> check.that(
                        done && confirmation.begun() < refused.ended(),
                        "an undo was refused before anybody confirmed"));
        check.that(confirmation.kind() != Kind.REFUSED || undone, "a confirmation was refused, and nothing is undone");
        of(actions, Kind.BOOKED)
                .filter(booked -> confirmation.kind() == Kind.NOTHING)
                .forEach(booked ->
                        check.that(confirmation.begun() < booked.ended(), "a confirmation has not seen the effect"));
    }
}
