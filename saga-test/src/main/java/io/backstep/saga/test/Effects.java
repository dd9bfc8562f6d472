package io.backstep.saga.test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the participants of a saga have really done: a fake participant calls {@link #applied} when it does something,
 * {@link #undone} when it takes it back, and {@link #confirmed} when it confirms a try; not when it is asked again and does nothing. {@link CrashExplorer} compares.
 *
 * <p>What is called inside a transactional step counts when its transaction commits.
 */
public final class Effects {
    private static final Pattern KEY =
            Pattern.compile("([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([A-Za-z0-9._-]+).*");

    /** What became of something. */
    enum Kind {
        APPLIED,
        UNDONE,
        CONFIRMED
    }

    /** Something that was done, taken back, or confirmed. */
    record Effect(@Nullable UUID saga, String step, String key, Kind kind) {}

    private final List<Effect> all = new ArrayList<>();
    private final List<Effect> uncommitted = new ArrayList<>();
    private final Deque<AroundCode.Call> calls = new ArrayDeque<>();
    private boolean inTransaction;

    /** Makes a ledger with nothing in it. */
    public Effects() {}

    /**
     * A participant has done something.
     *
     * @param key the key that it was called with
     */
    public void applied(String key) {
        add(key, Kind.APPLIED);
    }

    /**
     * A participant has taken something back.
     *
     * @param key the key that it was called with
     */
    public void undone(String key) {
        add(key, Kind.UNDONE);
    }

    /**
     * A participant has confirmed what a try has done.
     *
     * @param key the key that it was called with
     */
    public void confirmed(String key) {
        add(key, Kind.CONFIRMED);
    }

    private void add(String key, Kind kind) {
        (inTransaction ? uncommitted : all).add(effect(key, kind));
    }

    /** Whose it is says the call that is under way, else the key. */
    private Effect effect(String key, Kind kind) {
        AroundCode.Call call = calls.peek();
        if (call != null) {
            return new Effect(call.context().sagaId(), call.step().name(), key, kind);
        }
        Matcher parts = KEY.matcher(key);
        return parts.matches()
                ? new Effect(UUID.fromString(parts.group(1)), parts.group(2), key, kind)
                : new Effect(null, "?", key, kind);
    }

    void clear() {
        all.clear();
    }

    void enter(AroundCode.Call call) {
        calls.push(call);
    }

    void leave() {
        calls.pop();
    }

    void begin() {
        inTransaction = true;
    }

    void end(boolean committed) {
        inTransaction = false;
        if (committed) {
            all.addAll(uncommitted);
        }
        uncommitted.clear();
    }

    List<Effect> all() {
        return List.copyOf(all);
    }

    /** The steps of a saga that have had an effect, or were undone. */
    Set<String> steps(UUID saga) {
        Set<String> steps = new LinkedHashSet<>();
        all.stream().filter(effect -> saga.equals(effect.saga())).forEach(effect -> steps.add(effect.step()));
        return steps;
    }

    /** How many effects of a step are left. */
    int left(UUID saga, String step) {
        return count(saga, step, Kind.APPLIED) - count(saga, step, Kind.UNDONE);
    }

    int count(UUID saga, String step, Kind kind) {
        return (int)
                of(saga, step).stream().filter(effect -> effect.kind() == kind).count();
    }

    List<Effect> of(UUID saga, String step) {
        return all.stream()
                .filter(effect -> saga.equals(effect.saga()) && effect.step().equals(step))
                .toList();
    }
}
