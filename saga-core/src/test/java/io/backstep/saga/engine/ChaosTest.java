package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Outcome;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.FaultyStore.Call;
import io.backstep.saga.engine.FaultyStore.Fault;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.time.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many sagas on three nodes, and everything goes wrong for a while: the same for the same seed. */
class ChaosTest {
    private static final SagaType<Integer> TYPE = SagaType.named("chaos", Integer.class);
    private static final Retry PATIENT = Retry.fixed(Duration.ofSeconds(1)).maxAttempts(100);
    private static final Fault[] FAULTS = {
        Fault.REFUSED_CONNECTION, Fault.APPLIED_IN_DOUBT, Fault.LOST_IN_DOUBT, Fault.THROWN
    };

    private record Member(TestNode node, FaultyStore store) {}

    static IntStream seeds() {
        return IntStream.range(0, Integer.getInteger("chaos.seeds", 12));
    }

    private final VirtualTime time = new VirtualTime();
    private final InMemorySagaStore store = new InMemorySagaStore(time::now);
    private final Set<String> effects = new LinkedHashSet<>();
    private final Map<String, Integer> commits = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private Random random = new Random(0);
    private double failing = 0.2;

    private SagaDefinition<Integer> definition() {
        return Saga.define(TYPE)
                .step("open")
                .transactional()
                .action(c -> commit(c.sagaId(), "open", true))
                .compensate(c -> commit(c.sagaId(), "close", false))
                .retry(PATIENT)
                .compensationRetry(PATIENT)
                .step("reserve")
                .action(c -> effect(c.sagaId(), "reserve", true))
                .compensate(c -> effect(c.sagaId(), "release", false))
                .retry(PATIENT)
                .compensationRetry(PATIENT)
                .step("pay")
                .action(c -> {
                    effect(c.sagaId(), "pay", true);
                    if (c.input() % 3 == 0) {
                        effects.remove(c.sagaId() + ":pay");
                        throw new StepRejectedException("NO", "no");
                    }
                })
                .compensate(c -> effect(c.sagaId(), "refund", false))
                .retry(PATIENT)
                .compensationRetry(PATIENT)
                .pivot("decide")
                .transactional()
                .action(c -> commit(c.sagaId(), "decide", true))
                .retry(PATIENT)
                .retriable("ship")
                .action(c -> effect(c.sagaId(), "ship", true))
                .build();
    }

    private void commit(UUID id, String what, boolean forward) throws IOException {
        check(id, what, forward);
        String key = id + ":" + what;
        commits.merge(key, 1, Integer::sum);
        store.transactions().afterRollback(() -> commits.merge(key, -1, Integer::sum));
        maybeFail();
    }

    private void effect(UUID id, String what, boolean forward) throws IOException {
        check(id, what, forward);
        if (random.nextBoolean()) {
            maybeFail();
        }
        effects.add(id + ":" + what);
        maybeFail();
    }

    /** The owner by the store's clock never acts against the direction that is recorded. */
    private void check(UUID id, String what, boolean forward) {
        SagaStatus status = store.find(id).orElseThrow().status();
        if (status != (forward ? SagaStatus.RUNNING : SagaStatus.COMPENSATING)) {
            wrong.add(what + " of " + id + " while " + status);
        }
    }

    private void maybeFail() throws IOException {
        if (random.nextDouble() < failing) {
            throw new IOException("chance");
        }
    }

    private Member member() {
        FaultyStore own = new FaultyStore(store);
        TestNode[] self = new TestNode[1];
        Timer timer = time.timer(() -> self[0] == null || self[0].alive());
        Executor slow = next -> timer.after(Duration.ofMillis(random.nextInt(30)), next);
        own.answers = slow;
        self[0] = new TestNode(
                time,
                own,
                store.transactions(),
                TestNode.tuning().withPatience(Duration.ZERO, Duration.ofSeconds(60)),
                List.of(),
                slow,
                definition());
        return new Member(self[0].started(), own);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everything_ends_and_nothing_happens_twice(int seed) throws Exception {
        random = new Random(seed);
        List<Member> members = new ArrayList<>(List.of(member(), member(), member()));
        Map<UUID, Integer> sagas = new HashMap<>();
        for (int round = 0; round < 60; round++) {
            int input = round;
            Member starter = members.get(random.nextInt(3));
            if (starter.node().engine.status().running()) {
                sagas.put(
                        store.transactions()
                                .inTransaction(() -> starter.node()
                                        .client()
                                        .start(TYPE, input)
                                        .sagaId()),
                        input);
            }
            trouble(members);
            time.run(Duration.ofMillis(random.nextInt(2_000)));
        }
        failing = 0;
        members.forEach(member -> {
            member.store().away = false;
            member.node().resume();
        });
        members.add(member());
        time.run(Duration.ofMinutes(20));
        assertThat(wrong).isEmpty();
        sagas.forEach(this::checkEnd);
        members.forEach(member -> assertThat(
                        member.node().alive() ? member.node().engine.status().held() : 0)
                .isZero());
    }

    private void trouble(List<Member> members) {
        int index = random.nextInt(3);
        Member member = members.get(index);
        switch (random.nextInt(8)) {
            case 0 -> {
                member.node().kill();
                members.set(index, member());
            }
            case 1 -> {
                member.node().pause();
                time.run(Duration.ofMillis(random.nextInt(20_000)));
                member.node().resume();
            }
            case 2 -> {
                member.node().engine.close();
                members.set(index, member());
            }
            case 3 -> {
                member.store().away = true;
                time.run(Duration.ofMillis(random.nextInt(15_000)));
                member.store().away = false;
            }
            default -> {
                Call[] calls = Call.values();
                for (int i = 0; i < 5; i++) {
                    Call call = calls[random.nextInt(calls.length)];
                    member.store().next(call, FAULTS[random.nextInt(FAULTS.length)]);
                }
            }
        }
    }

    private void checkEnd(UUID id, int input) {
        SagaStatus status = store.find(id).orElseThrow().status();
        assertThat(status)
                .as("saga " + id + ": " + lines(id))
                .isEqualTo(input % 3 == 0 ? SagaStatus.COMPENSATED : SagaStatus.COMPLETED);
        assertThat(commits.getOrDefault(id + ":open", 0)).isEqualTo(1);
        assertThat(lines(id))
                .filteredOn(line -> line.endsWith(Outcome.SUCCEEDED.name()))
                .doesNotHaveDuplicates();
        if (status == SagaStatus.COMPLETED) {
            assertThat(commits.getOrDefault(id + ":decide", 0)).isEqualTo(1);
            assertThat(commits.getOrDefault(id + ":close", 0)).isZero();
            assertThat(effects).contains(id + ":reserve", id + ":pay", id + ":ship");
            assertThat(effects).doesNotContain(id + ":release", id + ":refund");
        } else {
            assertThat(commits.getOrDefault(id + ":decide", 0)).isZero();
            assertThat(commits.getOrDefault(id + ":close", 0)).isEqualTo(1);
            assertThat(effects).contains(id + ":reserve", id + ":release");
            assertThat(effects).doesNotContain(id + ":ship");
        }
    }

    private List<String> lines(UUID id) {
        return store.history(id).stream()
                .map(row -> row.entry().step() + " " + row.entry().phase() + " "
                        + (row.entry().outcome() == Outcome.SUCCEEDED
                                ? ""
                                : row.entry().attempt() + " ")
                        + row.entry().outcome())
                .toList();
    }
}
