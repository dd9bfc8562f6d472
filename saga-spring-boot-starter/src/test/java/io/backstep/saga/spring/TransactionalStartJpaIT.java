package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.testsupport.TestPostgres;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

class TransactionalStartJpaIT extends TransactionalStartContract {
    @Override
    ConfigurableApplicationContext application(TestPostgres.Db database) {
        return Applications.withJpa(database, Application.class);
    }

    @Override
    boolean hasSavepoints() {
        return false;
    }

    @AfterEach
    void hearNoMore() {
        Passenger.WHEN_WRITTEN.remove();
    }

    // F080
    @Test
    void what_an_entity_starts_when_it_is_written_at_the_commit_belongs_to_the_transaction() {
        UUID first = whenWritten(() -> save("ann"));
        UUID second = whenWritten(() -> assertThatThrownBy(() -> inTransaction(() -> {
                    save("eve");
                    save("ann");
                }))
                .isNotNull());

        assertThat(sagas.await(first, Duration.ofSeconds(20)).status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(sagas.find(second)).isEmpty();
    }

    private UUID whenWritten(Runnable work) {
        UUID id = UUID.randomUUID();
        Passenger.WHEN_WRITTEN.set(
                () -> sagas.start(NOTE, "x", StartOptions.none().sagaId(id)));
        work.run();
        return id;
    }

    private void save(String name) {
        context.getBean(Passengers.class).save(new Passenger(name));
    }
}
