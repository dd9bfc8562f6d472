package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.test.CrashExplorer;
import io.backstep.saga.test.Effects;
import io.backstep.saga.test.Exploration;
import io.backstep.saga.test.SagaRun;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A saga on real databases, explored as its users do it, with and without planted bugs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrashExplorerIT {
    private static final SagaType<String> TYPE = SagaType.named("explored", String.class);

    private final List<Nodes> databases = Nodes.all();

    @AfterAll
    void close() throws Exception {
        for (Nodes database : databases) {
            database.close();
        }
    }

    /** Orders in the saga's transactions; payments in a table of their own, by key, as another service would have it. */
    private static class Shop {
        final Nodes on;
        final JdbcTransactions transactions;
        final JdbcSagaStore store;
        final Effects effects = new Effects();
        final AtomicInteger checked = new AtomicInteger();

        Shop(Nodes on) {
            this.on = on;
            this.transactions = new JdbcTransactions(on.pool);
            this.store = JdbcSagaStore.create(on.pool, transactions);
            TestDatabase.execute(on.pool, "drop table if exists orders");
            TestDatabase.execute(on.pool, "drop table if exists payments");
            on.execute("create table orders (id varchar(60) primary key, state varchar(20))");
            on.execute("create table payments (id varchar(100) primary key, state varchar(20))");
        }

        void order(UUID id, String state) throws SQLException {
            if (state.equals("NEW")) {
                TestDatabase.execute(
                        transactions.connection(), "insert into orders values (?, ?)", id.toString(), state);
            } else {
                TestDatabase.execute(
                        transactions.connection(), "update orders set state = ? where id = ?", state, id.toString());
            }
        }

        void pay(String key) {
            if (on.count("select count(*) from payments where id = ?", key) == 0) {
                on.execute("insert into payments values (?, 'PAID')", key);
                effects.applied(key);
            }
        }

        void refund(String key) {
            if (on.count("select count(*) from payments where id = ?", key) == 0) {
                on.execute("insert into payments values (?, 'REFUNDED')", key); // must not come later
                return;
            }
            if (on.count("select count(*) from payments where id = ? and state = 'PAID'", key) == 1) {
                on.execute("update payments set state = 'REFUNDED' where id = ?", key);
                effects.undone(key);
            }
        }

        SagaDefinition<String> definition() {
            return Saga.define(TYPE)
                    .step("create")
                    .transactional()
                    .action(c -> order(c.sagaId(), "NEW"))
                    .compensate(c -> order(c.sagaId(), "REJECTED"))
                    .step("pay")
                    .action(c -> pay(c.idempotencyKey()))
                    .compensate(c -> refund(c.idempotencyKey()))
                    .pivot("confirm")
                    .transactional()
                    .action(c -> order(c.sagaId(), "CONFIRMED"))
                    .build();
        }

        CrashExplorer<String> explorer() {
            return CrashExplorer.of(definition())
                    .input("in")
                    .on(store, transactions)
                    .effects(effects)
                    .check(this::check);
        }

        Exploration explore() {
            return explorer().explore();
        }

        private void check(SagaRun run) {
            checked.incrementAndGet();
            List<String> states = TestDatabase.strings(
                    on.pool,
                    "select state from orders where id = ?",
                    run.saga().sagaId().toString());
            if (run.saga().status() == SagaStatus.COMPLETED) {
                assertThat(states).containsExactly("CONFIRMED");
            } else {
                assertThat(states).isNotEqualTo(List.of("CONFIRMED"));
            }
        }
    }

    @TestFactory
    Stream<DynamicNode> a_sound_saga_stands_each_crash() {
        return databases.stream().map(on -> {
            Shop shop = new Shop(on);
            DynamicNode last = dynamicTest(
                    "these were more than 80 runs",
                    () -> assertThat(shop.checked).hasValueGreaterThan(80));
            return dynamicContainer(on.toString(), Stream.concat(shop.explorer().tests(), Stream.of(last)));
        });
    }

    @ParameterizedTest
    @FieldSource("databases")
    void as_the_documentation_shows_it(Nodes on) {
        Effects effects = new Effects();
        DataSource dataSource = on.pool;
        SagaDefinition<String> definition = Saga.define(SagaType.named("shown", String.class))
                .step("one")
                .action(c -> effects.applied(c.operationKey() + c.attempt() + c.epoch()))
                .noCompensation("a test")
                .build();
        AbstractThrowableAssert<?, ?> failure = assertThatThrownBy(() -> {
            JdbcTransactions transactions = new JdbcTransactions(dataSource);
            CrashExplorer.of(definition)
                    .input("in")
                    .on(JdbcSagaStore.create(dataSource, transactions), transactions)
                    .effects(effects)
                    .explore()
                    .assertSound();
        });
        failure.isInstanceOf(AssertionError.class)
                .hasMessageContaining("runs have problems")
                .hasMessageContaining("it is COMPLETED with 2 effects of step one left, not 1 as without faults");
    }

    @ParameterizedTest
    @FieldSource("databases")
    void a_compensation_that_does_it_again_is_found(Nodes on) {
        Exploration exploration = new Shop(on) {
            @Override
            void refund(String key) {
                effects.undone(key);
            }
        }.explore();

        assertThat(exploration.findings())
                .flatExtracting(finding -> finding.problems())
                .anySatisfy(problem ->
                        assertThat(problem).startsWith("step pay was undone 2 times, and had taken effect once"));
    }

    @ParameterizedTest
    @FieldSource("databases")
    void a_forgotten_key_is_found(Nodes on) {
        Exploration exploration = new Shop(on) {
            @Override
            void pay(String key) {
                super.pay(UUID.randomUUID().toString());
            }
        }.explore();

        assertThat(exploration.findings())
                .flatExtracting(finding -> finding.problems())
                .anySatisfy(
                        problem -> assertThat(problem).startsWith("it is COMPLETED with 2 effects of step pay left"));
    }
}
