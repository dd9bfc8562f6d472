package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Fence;
import io.backstep.saga.store.ForwardingStore;
import io.backstep.saga.store.Hold;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import io.backstep.saga.store.RegisteredDefinition;
import io.backstep.saga.store.StoreCallback;
import io.backstep.saga.store.Written;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Which writes share a flush. */
class JournalTest {
    private final List<List<UUID>> flushes = new ArrayList<>();
    private final Journal journal = new Journal(new NeverAnswering(), Runnable::run, 1, 10, this::pace);

    /** Every flush stays under way for ever. */
    private final class NeverAnswering extends ForwardingStore {
        private NeverAnswering() {
            super(new InMemorySagaStore());
        }

        @Override
        public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
            flushes.add(
                    batch.stream().map(mutation -> mutation.fence().sagaId()).toList());
        }

        @Override
        public void insert(List<NewInstance> batch, StoreCallback<List<InsertResult>> callback) {
            flushes.add(batch.stream().map(NewInstance::sagaId).toList());
        }
    }

    @Test
    void what_comes_during_a_flush_goes_together_into_the_next_and_each_has_its_own_answer() {
        InMemorySagaStore kept = new InMemorySagaStore();
        List<String> calls = new ArrayList<>();
        List<Runnable> tasks = new ArrayList<>();
        Journal one = new Journal(
                new ForwardingStore(kept) {
                    @Override
                    public void write(
                            List<Mutation> mutations, List<NewInstance> starts, StoreCallback<Written> callback) {
                        calls.add(mutations.size() + " and " + starts.size());
                        super.write(mutations, starts, callback);
                    }
                },
                tasks::add,
                1,
                4,
                this::pace);
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            one.submit(write(UUID.randomUUID()), (answer, failure) -> answers.add("progress " + answer));
        }
        for (int i = 0; i < 3; i++) {
            one.insert(start(UUID.randomUUID()), (answer, failure) -> answers.add("start " + answer));
        }

        tasks.remove(0).run();
        tasks.remove(0).run();

        assertThat(calls).as("by turns, at most four").containsExactly("2 and 2", "1 and 1");
        assertThat(answers).hasSize(6);
        assertThat(answers)
                .filteredOn(answer -> answer.startsWith("progress"))
                .hasSize(3)
                .allMatch(answer -> answer.contains("STALE"));
        assertThat(answers)
                .filteredOn(answer -> answer.startsWith("start"))
                .hasSize(3)
                .allMatch(answer -> answer.contains("INSERTED"));
        assertThat(tasks).isEmpty();
    }

    @Test // X7
    void what_was_found_locked_waits_with_nobody_behind_it() {
        List<UUID> ids = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());

        journal.submitLocked(write(ids.get(0)), (answer, failure) -> {});
        journal.submit(write(ids.get(1)), (answer, failure) -> {});
        journal.insertLocked(start(ids.get(2)), (answer, failure) -> {});
        journal.insertApart(start(ids.get(3)), (answer, failure) -> {});

        assertThat(flushes)
                .containsExactly(List.of(ids.get(0)), List.of(ids.get(1)), List.of(ids.get(2)), List.of(ids.get(3)));
        assertThat(flushes).hasSize(Journal.flushes(1));
    }

    /** Answers all at once when told to. */
    private static final class Answering extends ForwardingStore {
        private Runnable answer = () -> {};

        private Answering() {
            super(new InMemorySagaStore());
        }

        @Override
        public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
            answer = () -> callback.done(
                    batch.stream().map(mutation -> Acceptance.ACCEPTED).toList(), null);
        }
    }

    @Test
    void one_that_cannot_take_its_answer_takes_nobody_elses() {
        Answering store = new Answering();
        Journal one = new Journal(store, Runnable::run, 1, 10, this::pace);
        List<String> answered = new ArrayList<>();
        one.submit(write(UUID.randomUUID()), (answer, failure) -> answered.add("first"));
        one.submit(write(UUID.randomUUID()), (answer, failure) -> {
            throw new AssertionError("broken");
        });
        one.submit(write(UUID.randomUUID()), (answer, failure) -> answered.add("third"));
        store.answer.run();
        store.answer.run();
        one.submit(write(UUID.randomUUID()), (answer, failure) -> answered.add("fourth"));
        store.answer.run();
        assertThat(answered).containsExactly("first", "third", "fourth");
    }

    @Test
    void a_store_that_answers_for_too_few_leaves_nobody_without_an_answer() {
        List<String> answered = new ArrayList<>();
        AtomicReference<StoreCallback<List<Acceptance>>> told = new AtomicReference<>();
        Journal one = new Journal(
                new ForwardingStore(new InMemorySagaStore()) {
                    @Override
                    public void submit(List<Mutation> batch, StoreCallback<List<Acceptance>> callback) {
                        told.set(callback);
                    }
                },
                Runnable::run,
                1,
                10,
                this::pace);
        for (int i = 0; i < 3; i++) {
            one.submit(write(UUID.randomUUID()), (answer, failure) -> answered.add(answer + ", " + failure));
        }
        told.get().done(List.of(Acceptance.ACCEPTED), null);
        told.get().done(List.of(Acceptance.ACCEPTED), null);

        assertThat(answered).hasSize(3);
        assertThat(answered.subList(1, 3)).allSatisfy(line -> assertThat(line).contains("neither an answer for each"));
    }

    private Pace pace() {
        VirtualTime time = new VirtualTime();
        return new Pace(time.timer(() -> true), () -> 0, time.clock(), failure -> false);
    }

    private static Mutation write(UUID id) {
        return new Mutation(new Fence(id, 1, 0), SagaStatus.RUNNING, null, "{}", Hold.KEEP, List.of(), List.of());
    }

    private static NewInstance start(UUID id) {
        RegisteredDefinition definition = new RegisteredDefinition(1, 1, "test", 1, "print");
        return new NewInstance(id, definition, null, "0".repeat(64), SagaStatus.RUNNING, "{}", "{}", 1, null, null);
    }
}
