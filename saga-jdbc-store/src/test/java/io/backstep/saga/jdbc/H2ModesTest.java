package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.InsertResult;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Modes and cases of H2: F059. */
class H2ModesTest {
    @ParameterizedTest
    @CsvSource({
        "MODE=REGULAR;DATABASE_TO_UPPER=TRUE,",
        "MODE=REGULAR;DATABASE_TO_UPPER=FALSE,",
        "MODE=REGULAR;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE,",
        "MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE,",
        "MODE=PostgreSQL,",
        "MODE=MySQL,",
        "MODE=MySQL;DATABASE_TO_LOWER=TRUE,",
        "MODE=REGULAR, saga",
        "MODE=REGULAR, SAGA",
        "MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE, Saga",
        "MODE=MySQL, saga"
    })
    void sagas_are_kept_in_each(String settings, @Nullable String schema) {
        SagaSchema.Options options = SagaSchema.Options.of("saga_", schema);
        try (HikariDataSource pool = TestDatabase.h2(settings).pool()) {
            SagaSchema.migrate(pool, options);
            SagaSchema.migrate(pool, options);
            SagaSchema.verify(pool, options);
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool), options));

            UUID id = sagas.owned(1).get(0);

            assertThat(sagas.submit(List.of(Sagas.write(id, 1, 0)))).containsExactly(Acceptance.Kind.ACCEPTED);
            assertThat(sagas.insert(List.of(sagas.saga("Key", null), sagas.saga("key", null), sagas.saga("Key", null))))
                    .containsExactly(InsertResult.Kind.INSERTED, InsertResult.Kind.INSERTED, InsertResult.Kind.EXISTS);
            assertThat(sagas.claim(10)).hasSize(2);
            assertThat(sagas.store.find("order", "key")).isPresent();
            assertThat(sagas.store.find("order", "KEY")).isEmpty();
        }
    }
}
