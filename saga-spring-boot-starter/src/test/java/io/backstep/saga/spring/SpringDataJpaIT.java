package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.testsupport.TestPostgres;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.metamodel.EntityType;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Sagas and Spring Data JPA in one transaction, on PostgreSQL. */
class SpringDataJpaIT {
    private static final SagaType<String> REMOTE = SagaType.named("remote", String.class);
    private static final SagaType<String> TRANSACTIONAL = SagaType.named("transactional", String.class);

    private static ConfigurableApplicationContext context;

    private final Desk desk = context.getBean(Desk.class);
    private final SagaClient sagas = context.getBean(SagaClient.class);
    private final Passengers passengers = context.getBean(Passengers.class);

    @BeforeAll
    static void start() {
        context = Applications.withJpa(TestPostgres.fresh(), Application.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void the_transaction_manager_is_the_one_of_jpa() {
        assertThat(context.getBean(SpringTransactions.class).manager()).isInstanceOf(JpaTransactionManager.class);
    }

    @Test
    void a_saga_and_an_entity_commit_together_and_nothing_is_called_before() {
        UUID id = UUID.randomUUID();

        desk.checkIn("ann", id);

        assertThat(sagas.await(id, Duration.ofSeconds(20)).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(passengers.existsById("ann")).isTrue();
        assertThat(desk.seen()).contains("ann there");
    }

    @Test // C15, F032
    void hibernate_makes_validates_and_drops_its_own_tables_only() {
        UUID id = UUID.randomUUID();
        desk.checkIn("zoe", id);
        sagas.await(id, Duration.ofSeconds(20));
        EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);

        assertThat(factory.getMetamodel().getEntities())
                .extracting(EntityType::getName)
                .containsExactly("Passenger");
        assertThatCode(() -> factory.getSchemaManager().validate()).doesNotThrowAnyException();
        factory.getSchemaManager().drop(false);
        factory.getSchemaManager().create(false);

        assertThat(sagas.find(id)).isPresent();
        assertThat(context.getBean(JdbcTemplate.class)
                        .queryForObject(
                                "select data_type from information_schema.columns"
                                        + " where table_name = 'saga_instance' and column_name = 'steps'",
                                String.class))
                .isEqualTo("text");
    }

    // F064
    @Test
    void a_saga_and_an_entity_roll_back_together() {
        UUID id = UUID.randomUUID();

        assertThatThrownBy(() -> desk.checkInAndFail("bob", id)).hasMessage("no seat");

        assertThat(sagas.find(id)).isEmpty();
        assertThat(passengers.existsById("bob")).isFalse();
        assertThat(desk.seen()).doesNotContain("bob there", "bob missing");
    }

    @Test
    void a_saga_rolls_back_when_the_entity_fails_at_the_commit() {
        UUID id = UUID.randomUUID();
        passengers.save(new Passenger("cid"));

        assertThatThrownBy(() -> desk.checkIn("cid", id)).isNotNull();

        assertThat(sagas.find(id)).isEmpty();
    }

    // F074
    @Test
    void a_read_only_transaction_is_refused() {
        assertThatThrownBy(() -> desk.look("dan"))
                .isInstanceOf(SagaStartException.class)
                .hasMessageStartingWith("SAGA-START-008");
    }

    @Test
    void a_duplicate_key_leaves_the_callers_transaction_usable() {
        SagaInstance first = desk.checkInOnce("eve", "eve-1");
        SagaInstance second = desk.checkInOnce("eva", "eve-1", "eve");

        assertThat(second.sagaId()).isEqualTo(first.sagaId());
        assertThat(passengers.existsById("eva")).isTrue();
    }

    @Test
    void a_transactional_step_writes_entities_with_its_record() {
        SagaInstance saga = sagas.start(TRANSACTIONAL, "fay");

        assertThat(sagas.await(saga.sagaId(), Duration.ofSeconds(20)).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(passengers.existsById("fay")).isTrue();
    }

    @Test
    void a_transactional_step_whose_entity_fails_at_the_commit_counts_as_failed() {
        passengers.save(new Passenger("gus"));
        SagaInstance saga = sagas.start(TRANSACTIONAL, "gus");

        assertThat(sagas.await(saga.sagaId(), Duration.ofSeconds(20)).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(desk.boardings()).filteredOn("gus"::equals).hasSize(2);
    }

    @Service
    static class Desk {
        private final Queue<String> seen = new ConcurrentLinkedQueue<>();
        private final Queue<String> boardings = new ConcurrentLinkedQueue<>();
        private final SagaClient sagas;
        private final Passengers passengers;

        Desk(SagaClient sagas, Passengers passengers) {
            this.sagas = sagas;
            this.passengers = passengers;
        }

        public Collection<String> seen() {
            return seen;
        }

        public Collection<String> boardings() {
            return boardings;
        }

        @Transactional
        public void checkIn(String name, UUID id) {
            passengers.save(new Passenger(name));
            sagas.start(REMOTE, name, StartOptions.none().sagaId(id));
        }

        @Transactional
        public void checkInAndFail(String name, UUID id) {
            passengers.save(new Passenger(name));
            sagas.start(REMOTE, name, StartOptions.none().sagaId(id));
            throw new IllegalStateException("no seat");
        }

        @Transactional
        public SagaInstance checkInOnce(String name, String key) {
            return checkInOnce(name, key, name);
        }

        @Transactional
        public SagaInstance checkInOnce(String name, String key, String input) {
            SagaInstance saga = sagas.start(REMOTE, input, StartOptions.businessKey(key));
            passengers.saveAndFlush(new Passenger(name));
            return saga;
        }

        @Transactional(readOnly = true)
        public void look(String name) {
            sagas.start(REMOTE, name);
        }

        public void look(String name, Optional<Passenger> found) {
            seen.add(name + (found.isPresent() ? " there" : " missing"));
        }

        public void board(String name) {
            boardings.add(name);
            passengers.save(new Passenger(name));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Desk.class)
    static class Application {
        @Bean
        SagaDefinition<String> remote(Desk desk, Passengers passengers) {
            return Saga.define(REMOTE)
                    .step("look")
                    .action(c -> desk.look(c.input(), passengers.findById(c.input())))
                    .noCompensation("only looks")
                    .build();
        }

        @Bean
        SagaDefinition<String> transactional(Desk desk) {
            return Saga.define(TRANSACTIONAL)
                    .step("board")
                    .transactional()
                    .action(c -> desk.board(c.input()))
                    .noCompensation("a test")
                    .retry(Retry.fixed(Duration.ofMillis(1)).maxAttempts(2))
                    .build();
        }
    }
}
