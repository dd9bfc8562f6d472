package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A node is killed after each event of a saga: every call of the store and every answer of it is an event of its own here. Another
 * node finishes the saga; no participant sees an effect twice.
 */
class CrashTest {
    private static final Step<String> RESERVE = Step.named("reserve", String.class);

    /** One run on its own store and its own time. */
    private static final class World extends CrashWorld {
        /** What the participants hold, by idempotency key: they do nothing twice for one key. */
        final Set<String> reserved = new LinkedHashSet<>();

        final Set<String> released = new LinkedHashSet<>();
        final Set<String> paid = new LinkedHashSet<>();
        final Set<String> refunded = new LinkedHashSet<>();
        final Set<String> shipped = new LinkedHashSet<>();
        private int failuresOfPay = 1;

        World(boolean declined) {
            super(declined);
        }

        @Override
        SagaDefinition<String> definition() {
            return Saga.define(TYPE)
                    .step("create")
                    .transactional()
                    .action(c -> commit("create"))
                    .compensate(c -> commit("reject"))
                    .step(RESERVE)
                    .action(c -> {
                        reserved.add(c.idempotencyKey());
                        return "r";
                    })
                    .compensate((c, r) -> released.add(c.idempotencyKey()))
                    .step("pay")
                    .action(c -> {
                        assertThat(c.result(RESERVE)).isEqualTo("r");
                        if (failuresOfPay-- > 0) {
                            throw new IOException("away");
                        }
                        if (declined) {
                            throw new StepRejectedException("DECLINED", "no money");
                        }
                        paid.add(c.idempotencyKey());
                    })
                    .compensate(c -> refunded.add(c.idempotencyKey()))
                    .retry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(3))
                    .pivot("confirm")
                    .transactional()
                    .action(c -> commit("confirm"))
                    .retriable("ship")
                    .action(c -> shipped.add(c.idempotencyKey()))
                    .build();
        }

        @Override
        void checkEffects(UUID id) {
            assertThat(reserved).containsExactly(id + ":reserve");
            if (declined) {
                assertThat(committed).containsExactly("create", "reject");
                assertThat(released).containsExactly(id + ":reserve");
                assertThat(refunded).as("an attempt before was unknown").containsExactly(id + ":pay");
                assertThat(shipped).isEmpty();
            } else {
                assertThat(committed).containsExactly("create", "confirm");
                assertThat(paid).containsExactly(id + ":pay");
                assertThat(shipped).containsExactly(id + ":ship");
                assertThat(released).isEmpty();
                assertThat(refunded).isEmpty();
            }
        }
    }

    /** How the exception of a step is classified; it comes again at each call where it ends the step. */
    private enum Rule {
        REJECTED,
        RETRIED,
        NOT_RETRIED
    }

    private static final class Declined extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final class RuleWorld extends CrashWorld {
        private final Rule rule;
        private int paying;
        private int released;

        RuleWorld(Rule rule) {
            super(rule != Rule.RETRIED);
            this.rule = rule;
        }

        private Retry retry() {
            Retry five = Retry.fixed(Duration.ofSeconds(1)).maxAttempts(5);
            return switch (rule) {
                case REJECTED -> five.rejectOn(Declined.class);
                case RETRIED -> five.retryOn(Declined.class);
                case NOT_RETRIED -> five.retryOn(IOException.class);
            };
        }

        @Override
        SagaDefinition<String> definition() {
            return Saga.define(TYPE)
                    .step("reserve")
                    .action(c -> {})
                    .compensate(c -> released++)
                    .step("pay")
                    .action(c -> {
                        paying++;
                        if (declined || paying <= 2) {
                            throw new Declined();
                        }
                    })
                    .compensate(c -> {})
                    .retry(retry())
                    .build();
        }

        @Override
        void checkEffects(UUID id) {
            if (declined) {
                assertThat(paying).as("at most once by each node").isBetween(1, 2);
                assertThat(released).isBetween(1, 2);
            } else {
                assertThat(paying).isBetween(3, 4);
                assertThat(released).isZero();
            }
        }
    }

    @ParameterizedTest // F088
    @EnumSource(Rule.class)
    void a_failure_is_classified_alike_by_who_takes_over_before_it_was_recorded(Rule rule) throws Exception {
        int events = new RuleWorld(rule).events();
        for (int crash = 0; crash <= events; crash++) {
            new RuleWorld(rule).crashAfter(crash);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_node_may_die_after_any_event(boolean declined) throws Exception { // F023, F027, F029, F134
        int events = new World(declined).events();
        assertThat(events).isGreaterThan(15);
        for (int crash = 0; crash <= events; crash++) {
            World world = new World(declined);
            world.crashAfter(crash);
            assertThat(world.time.elapsed()).as("after event " + crash).isLessThan(Duration.ofSeconds(16));
        }
    }

    @Test
    void two_nodes_may_die_one_after_the_other_after_any_event() throws Exception {
        int events = new World(true).events();
        for (int crash = 1; crash <= events; crash += 2) {
            for (int second = 1; second <= events; second += 3) {
                World world = new World(true);
                TestNode one = world.node();
                UUID id = world.start(one);
                world.time.runUntilExecuted(crash);
                one.kill();
                TestNode two = world.node();
                int sofar = world.time.executed();
                int more = second;
                world.time.runUntil(() -> world.settled(id) || world.time.executed() >= sofar + 20 + more);
                two.kill();
                world.node();
                world.time.runUntil(() -> world.settled(id));
                world.check(id);
            }
        }
    }

    @Test
    void a_start_whose_caller_rolls_back_leaves_nothing() throws Exception { // F080
        World world = new World(false);
        TestNode node = world.node();
        UUID[] id = new UUID[1];
        try {
            world.store.transactions().inTransaction(() -> {
                id[0] = node.client().start(CrashWorld.TYPE, "in").sagaId();
                throw new IOException("the caller fails");
            });
        } catch (IOException expected) {
            world.time.run(Duration.ofMinutes(1));
        }
        assertThat(world.store.find(id[0])).isEmpty();
        assertThat(world.committed).isEmpty();
    }
}
