package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.definition.Tcc;
import io.backstep.saga.test.CrashExplorer;
import io.backstep.saga.test.Effects;
import io.backstep.saga.test.Exploration;
import io.backstep.saga.test.SagaRun;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** TCC on real databases: wherever a node dies, all is confirmed or all is cancelled. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TccIT {
    private static final SagaType<String> TYPE = SagaType.named("tried", String.class);

    private final List<Nodes> databases = Nodes.all();

    @AfterAll
    void close() throws Exception {
        for (Nodes database : databases) {
            database.close();
        }
    }

    /** What was held is a row of another service's, by key. */
    private record Stock(Nodes on, Effects effects) {
        Stock {
            TestDatabase.execute(on.pool, "drop table if exists holds");
            on.execute("create table holds (id varchar(100) primary key, state varchar(20))");
        }

        private int count(String key, String state) {
            return on.count("select count(*) from holds where id = ? and state = ?", key, state);
        }

        private void set(String key, String state) {
            on.execute("delete from holds where id = ?", key);
            on.execute("insert into holds values (?, ?)", key, state);
        }

        void hold(String key) {
            if (count(key, "FREED") == 1) {
                throw new StepRejectedException("TOO_LATE", "it was freed");
            }
            if (count(key, "HELD") + count(key, "SOLD") == 0) {
                set(key, "HELD");
                effects.applied(key);
            }
        }

        void sell(String key) {
            if (count(key, "SOLD") == 0) {
                assertThat(count(key, "HELD")).isEqualTo(1);
                set(key, "SOLD");
                effects.confirmed(key);
            }
        }

        void free(String key) {
            if (count(key, "HELD") == 1) {
                effects.undone(key);
            }
            set(key, "FREED");
        }

        SagaDefinition<String> definition() {
            SagaStage<String> saga = Tcc.define(TYPE);
            for (String name : List.of("one", "two")) {
                saga = saga.tcc(name)
                        .tryAction(c -> hold(c.idempotencyKey()))
                        .confirm(c -> sell(c.idempotencyKey()))
                        .cancel(c -> free(c.idempotencyKey()));
            }
            return saga.build();
        }

        void check(SagaRun run) {
            List<String> states = TestDatabase.strings(
                    on.pool,
                    "select state from holds where id like ?",
                    run.saga().sagaId() + "%");
            assertThat(states).doesNotContain("HELD");
            if (run.saga().status() == SagaStatus.COMPLETED) {
                assertThat(states).containsExactly("SOLD", "SOLD");
            } else {
                assertThat(states).doesNotContain("SOLD");
            }
        }
    }

    @ParameterizedTest
    @FieldSource("databases")
    void all_is_confirmed_or_all_is_cancelled(Nodes on) {
        Effects effects = new Effects();
        Stock stock = new Stock(on, effects);
        JdbcTransactions transactions = new JdbcTransactions(on.pool);
        Exploration exploration = CrashExplorer.of(stock.definition())
                .input("in")
                .on(JdbcSagaStore.create(on.pool, transactions), transactions)
                .effects(effects)
                .check(stock::check)
                .explore()
                .assertSound();

        assertThat(exploration.runs()).isGreaterThan(80);
        assertThat(TestDatabase.strings(
                        on.pool, "select distinct phase from saga_step_history where phase = 'CONFIRM'"))
                .containsExactly("CONFIRM");
    }
}
