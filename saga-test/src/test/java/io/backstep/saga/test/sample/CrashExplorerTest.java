package io.backstep.saga.test.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.test.CrashExplorer;
import io.backstep.saga.test.Effects;
import io.backstep.saga.test.Exploration;
import io.backstep.saga.test.Finding;
import io.backstep.saga.test.Interruption;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CrashExplorerTest {
    private static final PlaceOrder INPUT = new PlaceOrder("book", 12);
    private static final SagaType<String> SMALL = SagaType.named("small", String.class);

    private final Effects effects = new Effects();

    private CrashExplorer<PlaceOrder> exploring(OrderSaga.Participants participants) {
        return CrashExplorer.of(OrderSaga.definition(participants)).input(INPUT).effects(effects);
    }

    private static void finds(Exploration exploration, String problem) {
        assertThat(exploration.findings())
                .flatExtracting(finding -> finding.problems())
                .anySatisfy(found -> assertThat(found).contains(problem));
    }

    @Test
    void a_sound_saga_stands_all_of_it() {
        Exploration exploration =
                exploring(new KeyedParticipants(effects)).explore().assertSound();

        assertThat(exploration.runs()).isGreaterThan(300);
        assertThat(exploration)
                .hasToString("0 of " + exploration.runs() + " runs have problems ("
                        + exploration.took().toMillis() + " ms)");
    }

    @Test
    void a_compensation_that_does_it_again_is_found() {
        Exploration exploration = exploring(new KeyedParticipants(effects) {
                    @Override
                    public void refund(String key) {
                        if (done.contains(key)) {
                            effects.undone(key);
                        }
                    }
                })
                .explore();

        finds(exploration, "step pay was undone 2 times, and had taken effect once");
    }

    @Test
    void a_forgotten_key_is_found() {
        Exploration exploration = exploring(new KeyedParticipants(effects) {
                    @Override
                    public Payment charge(String key, int amount) {
                        return super.charge(UUID.randomUUID().toString(), amount);
                    }
                })
                .explore();

        finds(exploration, "it is COMPLETED with 2 effects of step pay left, not 1 as without faults");
        assertThatThrownBy(exploration::assertSound)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("runs have problems")
                .hasMessageContaining("When nothing else goes wrong, and the node dies before pay SUCCEEDED (write 4):")
                .hasMessageContaining("does each call pass on context.idempotencyKey()?")
                .hasMessageContaining("pay #1 TAKEN_OVER");
    }

    @Test
    void a_participant_that_does_not_look_at_the_key_is_found() {
        Exploration exploration = exploring(new KeyedParticipants(effects) {
                    @Override
                    public void ship(String key) {
                        effects.applied(key);
                    }
                })
                .explore();

        finds(exploration, "2 effects of step ship under the key ");
    }

    @Test
    void a_participant_that_forgets_what_it_has_undone_is_found() {
        KeyedParticipants forgetful = new KeyedParticipants(effects) {
            @Override
            public void release(String key) {
                if (done.remove(key)) {
                    effects.undone(key);
                }
            }
        };

        finds(exploring(forgetful).explore(), "it is COMPENSATED, and 1 effects of step reserve are left");
        exploring(forgetful).without(Interruption.STOPS_BEFORE_CALL).explore().assertSound();
    }

    @Test
    void a_compensation_that_wants_a_result_is_found() {
        SagaDefinition<String> wanting = Saga.define(SMALL)
                .step(OrderSaga.PAY)
                .action(c -> new Payment("p", 1))
                .compensate((c, payment) -> payment.orElseThrow())
                .build();

        Exploration exploration = CrashExplorer.of(wanting).input("in").explore();

        finds(exploration, "it is parked: COMPENSATION_EXHAUSTED");
    }

    @Test
    void an_effect_that_is_lost_is_found() {
        SagaDefinition<String> losing = Saga.define(SMALL)
                .pivot("one")
                .transactional()
                .action(c -> {
                    if (c.attempt() == 1) { // as if its transaction were not the saga's
                        effects.applied(c.idempotencyKey());
                    }
                })
                .build();

        Exploration exploration =
                CrashExplorer.of(losing).input("in").effects(effects).explore();

        finds(exploration, "it is COMPLETED with 0 effects of step one left, not 1 as without faults");
    }

    /** All kinds of bugs, of which each interruption finds some. */
    private static final class Sloppy extends KeyedParticipants {
        private final Set<String> confirmed = new HashSet<>();
        private boolean confirmedTwice;

        private Sloppy(Effects effects) {
            super(effects);
        }

        @Override
        public void reserve(String key, String sku) {
            effects.applied(UUID.randomUUID().toString());
        }

        @Override
        public void refund(String key) {
            effects.undone(key);
        }

        @Override
        public void confirm(String key) {
            confirmedTwice |= !confirmed.add(key);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    DIES_BEFORE_WRITE   | nothing else goes wrong, and the node dies before reserve SUCCEEDED                       | 2 effects of step reserve left
                    DIES_IN_TRANSACTION | nothing else goes wrong, and the node dies inside the transaction of a transactional step | it was confirmed twice
                    DIES_AFTER_WRITE    | pay is rejected, and the node dies after reserve SUCCEEDED                                | step pay was undone once
                    STOPS_BEFORE_WRITE  | nothing else goes wrong, and the node stops, and is overtaken, before reserve SUCCEEDED   | 2 effects of step reserve left
                    STOPS_BEFORE_CALL   | nothing else goes wrong, and the node stops, and is overtaken, before the call of reserve | 2 effects of step reserve left
                    """)
    void each_interruption_finds_something(Interruption kind, String run, String problem) {
        Sloppy sloppy = new Sloppy(effects);
        CrashExplorer<PlaceOrder> explorer = exploring(sloppy)
                .beforeEach(() -> sloppy.confirmedTwice = false)
                .check(end -> assertThat(sloppy.confirmedTwice)
                        .withFailMessage("it was confirmed twice")
                        .isFalse());
        for (Interruption other : Interruption.values()) {
            if (other != kind) {
                explorer.without(other);
            }
        }

        assertThat(explorer.explore().findings()).anySatisfy(finding -> {
            assertThat(finding.run()).startsWith(run);
            assertThat(finding.problems()).anySatisfy(found -> assertThat(found).contains(problem));
        });
    }

    @Test
    void as_tests_a_bug_fails_those_at_whose_place_it_shows() {
        KeyedParticipants participants = new KeyedParticipants(effects);
        SagaDefinition<String> forgetful = Saga.define(SMALL)
                .step("first")
                .action(c -> participants.reserve(c.idempotencyKey(), "book"))
                .compensate(c -> participants.release(c.idempotencyKey()))
                .pivot("second")
                .action(c -> participants.ship(c.idempotencyKey() + (c.epoch() == 1 ? "" : ":again")))
                .build();
        CrashExplorer<String> explorer =
                CrashExplorer.of(forgetful).input("in").effects(effects).without(Interruption.STOPS_BEFORE_CALL);
        Map<String, Throwable> failures = new LinkedHashMap<>();

        int tests = play("", explorer.tests(), failures);

        Exploration same = explorer.explore();
        assertThat(tests).isEqualTo(same.runs() - 1); // but for the first, from which it learns what is usual
        assertThat(failures.keySet().stream().map(name -> name.replace(": ", ", and ")))
                .containsExactlyElementsOf(
                        same.findings().stream().map(Finding::run).toList());
        assertThat(failures)
                .containsOnlyKeys(
                        "nothing else goes wrong: the node dies before second SUCCEEDED, ENDED (write 3)",
                        "nothing else goes wrong: the node stops, and is overtaken, before second SUCCEEDED, ENDED (write 3)");
        assertThat(failures.values())
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("it is COMPLETED with 2 effects of step second left, not 1")
                        .hasMessageContaining("second #1 TAKEN_OVER"));
    }

    @Test
    void as_tests_what_throws_before_anything_is_interrupted_is_one_failing_test_of_its_course() {
        SagaDefinition<String> small = Saga.define(SMALL)
                .step("one")
                .action(c -> {})
                .compensate(c -> {})
                .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(2))
                .build();
        CrashExplorer<String> explorer = CrashExplorer.of(small).input("in").check(run -> {
            if (run.saga().status() == SagaStatus.COMPENSATED) {
                throw new IllegalStateException("planned");
            }
        });
        Map<String, Throwable> failures = new LinkedHashMap<>();

        int tests = play("", explorer.tests(), failures);

        assertThat(failures)
                .containsOnlyKeys(
                        "one is rejected: the node is not interrupted",
                        "one loses all replies: the node is not interrupted");
        assertThat(failures.values()).allSatisfy(failure -> assertThat(failure).hasMessage("planned"));
        assertThat(tests).as("nothing else goes wrong, and is interrupted").isGreaterThan(failures.size() + 5);
    }

    /** As JUnit does it; how many tests there were. */
    private static int play(String path, Stream<? extends DynamicNode> nodes, Map<String, Throwable> failures) {
        int tests = 0;
        for (Iterator<? extends DynamicNode> each = nodes.iterator(); each.hasNext(); ) {
            DynamicNode node = each.next();
            if (node instanceof DynamicContainer container) {
                tests += play(path + container.getDisplayName() + ": ", container.getChildren(), failures);
            } else {
                tests++;
                Throwable failure = catchThrowable(((DynamicTest) node).getExecutable()::execute);
                if (failure != null) {
                    failures.put(path + node.getDisplayName(), failure);
                }
            }
        }
        return tests;
    }

    @Test
    void the_users_own_checks_are_made_after_each_run() {
        AtomicInteger before = new AtomicInteger();
        AtomicInteger after = new AtomicInteger();
        Exploration exploration = exploring(new KeyedParticipants(effects))
                .beforeEach(before::incrementAndGet)
                .check(run -> {
                    after.incrementAndGet();
                    if (run.saga().status() == SagaStatus.FAILED) {
                        throw new AssertionError("no saga may be parked");
                    }
                })
                .explore();

        finds(exploration, "no saga may be parked");
        assertThat(before).hasValue(exploration.runs());
        assertThat(after).hasValue(exploration.runs() - 1); // but for the first, from which it learns what is usual
    }

    @Test
    void what_makes_no_sense_is_refused() {
        assertThatThrownBy(() ->
                        CrashExplorer.of(OrderSaga.definition(new Calls())).explore())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no input");
        assertThatThrownBy(() -> exploring(new Calls()).explore())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no participant of place-order v1 has written to the effects");
        SagaDefinition<String> stuck = Saga.define(SMALL)
                .step("one")
                .action(c -> {
                    throw new IllegalStateException("never");
                })
                .compensate(c -> Optional.empty().orElseThrow())
                .build();
        assertThatThrownBy(() -> CrashExplorer.of(stuck).input("in").explore())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("without faults this saga does not end")
                .hasMessageContaining("COMPENSATION_EXHAUSTED");
    }
}
