package io.backstep.saga.chaos.failpoints;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The names of all failpoints. Of each call of the store that has a transaction of its own: before it, before its COMMIT, after its COMMIT.
 * Of each that joins the caller's transaction: before and after it, and before and after the caller's COMMIT. Of each kind of user code,
 * also of a condition, a probe, and what makes the input of a child: before and after it.
 */
final class Points {
    private static final List<String> OWN_TRANSACTION = List.of(
            "register",
            "insert",
            "submit",
            "inTransaction",
            "claim",
            "claimOne",
            "recover",
            "renew",
            "sweepMail",
            "purge");
    private static final List<String> JOINED = List.of("insertJoined", "post", "operate", "audit");
    private static final List<String> JOINED_COMMITS =
            List.of("insertJoined", "post", "operate"); // an audit row is never alone
    private static final List<String> USER_CODE =
            List.of("action", "compensation", "confirm", "transaction", "condition", "probe", "child");

    static final List<String> ALL = Stream.of(
                    named(OWN_TRANSACTION, "before", "commit", "committed"),
                    named(JOINED, "before", "after"),
                    named(JOINED_COMMITS, "commit", "committed"),
                    named(USER_CODE, "before", "after"))
            .flatMap(names -> names)
            .toList();

    /** What a node does again and again, also without a saga: only the first time after the start counts. */
    private static final Set<String> BACKGROUND = Set.of("register", "claim", "renew", "sweepMail");

    /** What only an owner passes that does not know what became of its commit. */
    static final List<String> RECOVERY =
            named(List.of("recover"), "before", "commit", "committed").toList();

    private Points() {}

    private static Stream<String> named(List<String> calls, String... places) {
        return calls.stream().flatMap(call -> Stream.of(places).map(place -> call + "." + place));
    }

    static boolean isBackground(String point) {
        return BACKGROUND.contains(point.substring(0, point.indexOf('.')));
    }

    static void check(String point) {
        if (!ALL.contains(point)) {
            throw new IllegalStateException("no failpoint has the name " + point);
        }
    }
}
