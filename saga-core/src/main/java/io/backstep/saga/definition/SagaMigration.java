package io.backstep.saga.definition;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.Step;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How instances of one version of a saga become instances of a later one, when nobody works on them. Both versions are registered:
 * an instance that cannot be moved goes on by its own. Steps are matched by name; each step of the former version is kept, renamed or left out. Immutable.
 */
public final class SagaMigration {
    private static final String FAULT = "SAGA-DEF-010";

    private final SagaDefinition<?> from;
    private final SagaDefinition<?> to;
    private final @Nullable Function<Object, Object> input;
    private final Map<String, String> names;
    private final Map<String, Function<Object, Object>> results;
    private final Set<String> effectsStay;

    private SagaMigration(Builder<?, ?> builder, Map<String, String> names) {
        this.from = builder.from;
        this.to = builder.to;
        this.input = builder.input;
        this.names = Map.copyOf(names);
        this.results = Map.copyOf(builder.results);
        this.effectsStay = Set.copyOf(builder.effectsStay);
    }

    /**
     * Begins to describe one.
     *
     * @param from the version that instances have
     * @param to a later version of the same saga
     * @param <A> the input of the former
     * @param <B> the input of the later
     * @return a builder; steps of the same name are matched unless it says otherwise
     */
    public static <A, B> Builder<A, B> of(SagaDefinition<A> from, SagaDefinition<B> to) {
        return new Builder<>(from, to);
    }

    /**
     * The version that instances have.
     *
     * @return the former definition
     */
    public SagaDefinition<?> from() {
        return from;
    }

    /**
     * The version that they get.
     *
     * @return the later definition
     */
    public SagaDefinition<?> to() {
        return to;
    }

    /**
     * What a step is called in the later version.
     *
     * @param name its name in the former
     * @return its name, or null when it is left out
     */
    public @Nullable String nameOf(String name) {
        return names.get(name);
    }

    /**
     * Whether a step that is left out may have begun: what it has done stays done.
     *
     * @param name its name in the former version
     * @return true when the migration says so
     */
    public boolean effectStays(String name) {
        return effectsStay.contains(name);
    }

    /**
     * Makes the later input of the former.
     *
     * @param value the former
     * @return the later; the same unless the migration says otherwise
     */
    public Object input(Object value) {
        return input == null ? value : input.apply(value);
    }

    /**
     * Whether the result of a step is made into another.
     *
     * @param name its name in the former version
     * @return false when it is the same
     */
    public boolean changesResult(String name) {
        return results.containsKey(name);
    }

    /**
     * Makes the later result of the former.
     *
     * @param name the name of its step in the former version
     * @param value the former
     * @return the later
     */
    public Object result(String name, Object value) {
        return results.getOrDefault(name, Function.identity()).apply(value);
    }

    /**
     * What must be the same in both versions of a step that has begun: all that the fingerprint says, but what it waits for and whether it has a
     * condition.
     *
     * @param name its name in the former version; it is not left out
     * @return what differs, for people, or null
     */
    public @Nullable String difference(String name) {
        String is = names.getOrDefault(name, name);
        String was = Fingerprint.nature(from.steps().get(from.indexOf(name)));
        String now = Fingerprint.nature(to.steps().get(to.indexOf(is)));
        return was.equals(now) ? null : "was " + was + " and is " + now;
    }

    @Override
    public String toString() {
        return from + " to v" + to.version();
    }

    /**
     * Describes a migration.
     *
     * @param <A> the input of the former version
     * @param <B> the input of the later version
     */
    public static final class Builder<A, B> {
        private final SagaDefinition<A> from;
        private final SagaDefinition<B> to;
        private @Nullable Function<Object, Object> input;
        private final Map<String, String> renamed = new HashMap<>();
        private final Map<String, Function<Object, Object>> results = new HashMap<>();
        private final Set<String> leftOut = new HashSet<>();
        private final Set<String> effectsStay = new HashSet<>();
        private final List<String> faults = new ArrayList<>();

        private Builder(SagaDefinition<A> from, SagaDefinition<B> to) {
            this.from = from;
            this.to = to;
        }

        /**
         * Makes the later input of the former. Needed when their types differ.
         *
         * @param change pure; what it throws leaves the instance as it is
         * @return this
         */
        @SuppressWarnings("unchecked")
        public Builder<A, B> input(Function<? super A, ? extends B> change) {
            input = value -> change.apply((A) value);
            return this;
        }

        /**
         * A step has another name. Once it has begun, its calls keep the idempotency key of the old one.
         *
         * @param was its name in the former version
         * @param is its name in the later version
         * @return this
         */
        public Builder<A, B> renamed(String was, String is) {
            if (renamed.put(was, is) != null) {
                faults.add("names step " + was + " twice");
            }
            return this;
        }

        /**
         * A step has another result, and maybe another name.
         *
         * @param was the step in the former version
         * @param is the step in the later version
         * @param change makes the later result of the former; pure; what it throws leaves the instance as it is
         * @param <R> the former result
         * @param <S> the later result
         * @return this
         */
        @SuppressWarnings("unchecked")
        public <R, S> Builder<A, B> result(Step<R> was, Step<S> is, Function<? super R, ? extends S> change) {
            results.put(was.name(), value -> change.apply((R) value));
            return renamed(was.name(), is.name());
        }

        /**
         * The later version lacks a step. Instances in which it has begun are not moved.
         *
         * @param was its name in the former version
         * @return this
         */
        public Builder<A, B> without(String was) {
            leftOut.add(was);
            return this;
        }

        /**
         * The later version lacks a step, and instances are moved even when it has begun: what it has done is never undone.
         *
         * @param was its name in the former version
         * @return this
         */
        public Builder<A, B> withoutUndoing(String was) {
            effectsStay.add(was);
            return without(was);
        }

        /**
         * Checks everything.
         *
         * @return the migration
         * @throws SagaDefinitionException {@code SAGA-DEF-010} with all faults
         */
        public SagaMigration build() {
            if (!from.name().equals(to.name()) || from.version() >= to.version()) {
                faults.add("must lead to a later version of the same saga");
            }
            Type was = from.type().inputType();
            if (input == null && !was.equals(to.type().inputType())) {
                faults.add("does not say how the input " + was.getTypeName() + " becomes "
                        + to.type().inputType().getTypeName());
            }
            Map<String, String> names = names();
            checkNames(names);
            names.forEach(this::checkResult);
            if (!faults.isEmpty()) {
                throw new SagaDefinitionException(
                        FAULT,
                        "the migration of " + from + " to v" + to.version() + " " + String.join("; it ", faults));
            }
            return new SagaMigration(this, names);
        }

        private Map<String, String> names() {
            Map<String, String> names = new HashMap<>();
            for (StepDefinition step : from.steps()) {
                String name = renamed.getOrDefault(step.name(), step.name());
                if (leftOut.contains(step.name())) {
                    continue;
                }
                if (to.indexOf(name) < 0) {
                    faults.add("does not say what becomes of step " + step.name() + "; v" + to.version()
                            + " has no step " + name);
                } else {
                    names.put(step.name(), name);
                }
            }
            return names;
        }

        private void checkNames(Map<String, String> names) {
            Set<String> unknown = new HashSet<>(renamed.keySet());
            unknown.addAll(leftOut);
            unknown.removeIf(name -> from.indexOf(name) >= 0);
            unknown.forEach(name -> faults.add("names step " + name + ", which v" + from.version() + " lacks"));
            if (new HashSet<>(names.values()).size() < names.size()) {
                faults.add("makes one step of two");
            }
            for (StepDefinition step : to.steps()) {
                if (from.indexOf(step.name()) >= 0 && !step.name().equals(names.get(step.name()))) {
                    faults.add("gives the name " + step.name() + " to another step; its calls would have the same key");
                }
            }
        }

        private void checkResult(String was, String is) {
            StepDefinition step = from.steps().get(from.indexOf(was));
            boolean waits = step.waiting() != null || step.child() != null;
            if (waits && (!was.equals(is) || results.containsKey(was))) {
                faults.add("changes the name or the result of step " + was
                        + ", and what that waits for may be on its way");
            }
            Type before = step.resultType();
            Type now = to.steps().get(to.indexOf(is)).resultType();
            if (before != null && now != null && !before.equals(now) && !results.containsKey(was)) {
                faults.add("does not say how the result of step " + was + " becomes " + now.getTypeName());
            }
        }
    }
}
