package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaDefinitionException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.CompensationStage;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.StepContext;
import io.backstep.saga.definition.VoidAction;
import io.backstep.saga.store.InstanceRow;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * F095: a step is its name, not the code that was given for it nor the place where it stands. A name that is missing is refused when it
 * is given (BadDefinitionTest, D1); steps that a later version has in another order are moved by name (MigrationTest).
 */
class StepIdentityTest extends EngineFixture {
    private void reserve(StepContext<Input> c) throws IOException {
        note("reserve", c);
    }

    private void pay(StepContext<Input> c) throws IOException {
        note("pay", c);
        call("pay", 1);
    }

    private void ship(StepContext<Input> c) throws IOException {
        note("ship", c);
    }

    private void note(String code, StepContext<Input> c) {
        calls.add(code + " for " + c.idempotencyKey().split(":", 2)[1]);
    }

    /** Waits a minute for the second step. */
    private static SagaDefinition<Input> saga(
            String[] names, VoidAction<Input> first, VoidAction<Input> second, VoidAction<Input> third) {
        return define().step(names[0])
                .action(first)
                .noCompensation("a test")
                .step(names[1])
                .action(second)
                .noCompensation("a test")
                .retry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(3))
                .step(names[2])
                .action(third)
                .noCompensation("a test")
                .build();
    }

    private UUID waiting(String[] names) {
        TestNode node = node(saga(names, this::reserve, this::pay, this::ship));
        UUID id = start(node);
        time.run(Duration.ofSeconds(1));
        node.kill();
        return id;
    }

    @Test // F101
    void who_takes_over_calls_steps_by_name_whatever_the_code_is_written_as() {
        UUID id = waiting(new String[] {"reserve", "pay", "ship"});
        VoidAction<Input> third = c -> ship(c);
        VoidAction<Input> second = c -> pay(c);
        VoidAction<Input> first = c -> reserve(c);

        TestNode other = node(saga(new String[] {"reserve", "pay", "ship"}, first, second, third));

        assertThat(end(other, id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls.stream().filter(call -> call.contains(" for ")))
                .containsExactly("reserve for reserve", "pay for pay", "pay for pay", "ship for ship");
    }

    @Test
    void steps_in_another_order_are_not_taken_for_each_other() {
        String[] names = {"reserve", "pay", "ship"};
        UUID id = waiting(names);
        SagaDefinition<Input> moved =
                saga(new String[] {"reserve", "ship", "pay"}, this::reserve, this::ship, this::pay);

        assertThatThrownBy(() -> node(moved))
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageStartingWith("SAGA-DEF-007");
        time.run(Duration.ofMinutes(5));

        assertThat(calls).doesNotContain("ship for ship", "ship for pay");
        assertThat(end(node(saga(names, this::reserve, this::pay, this::ship)), id)
                        .status())
                .isEqualTo(SagaStatus.COMPLETED);
    }

    private SagaDefinition<Input> of(String names) {
        SagaStage<Input> saga = define();
        for (String name : names.split(" ")) {
            saga = saga.step(name)
                    .action(c -> call(name, name.equals("b") ? 1 : 0))
                    .noCompensation("a test")
                    .retry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(3));
        }
        return saga.build();
    }

    /** The instance waits for its second step. */
    @ParameterizedTest // F099
    @ValueSource(strings = {"a x b c", "x a b c", "a b c x", "a c", "b c", "a b2 c", "b a c", "a c b"})
    void under_the_same_version_other_steps_are_refused_with_both_lists_and_the_instance_goes_on_with_its_own(
            String names) {
        TestNode node = node(of("a b c"));
        UUID id = start(node);
        time.run(Duration.ofSeconds(1));
        node.kill();
        InstanceRow before = row(id);

        assertThatThrownBy(() -> node(of(names)))
                .isInstanceOf(SagaDefinitionException.class)
                .hasMessageStartingWith("SAGA-DEF-007")
                .hasMessageContaining("stored:\n" + of("a b c").fingerprint())
                .hasMessageContaining("now:\n" + of(names).fingerprint());
        time.run(Duration.ofMinutes(5));

        assertThat(row(id)).isEqualTo(before);
        assertThat(calls).containsExactly("a", "b");
        assertThat(end(node(of("a b c")), id).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(calls).containsExactly("a", "b", "b", "c");
    }

    @ParameterizedTest // F099
    @ValueSource(booleans = {true, false})
    void an_instance_is_undone_as_the_code_says_that_undoes_it(boolean gained) {
        TestNode node = node(undoing(!gained));
        UUID id = start(node);
        time.run(Duration.ofSeconds(1));
        node.kill();

        SagaInstance saga = end(node(undoing(gained)), id);

        assertThat(saga.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(calls)
                .filteredOn(call -> call.startsWith("undo"))
                .isEqualTo(gained ? List.of("undo Optional[Answer[text=a]]") : List.of());
        assertThat(history(id)).contains("first COMPENSATION " + (gained ? "1 SUCCEEDED" : "0 SKIPPED"));
    }

    /** The second step is called again after a minute, and says no then. */
    private SagaDefinition<Input> undoing(boolean undoes) {
        CompensationStage<Input, Answer> first = define().step(FIRST).action(c -> new Answer("a"));
        SagaStage<Input> either =
                undoes ? first.compensate((c, answer) -> calls.add("undo " + answer)) : first.noCompensation("a test");
        return either.step("second")
                .action(c -> {
                    call("second", 1);
                    throw new StepRejectedException("NO", "no");
                })
                .noCompensation("a test")
                .retry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(3))
                .build();
    }
}
