package io.backstep.saga.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.jdbc.JdbcSagaStore;
import io.backstep.saga.jdbc.JdbcTransactions;
import io.backstep.saga.jdbc.TwoPhaseParticipant;
import io.backstep.saga.jdbc.TwoPhaseParticipant.Orphan;
import io.backstep.saga.testsupport.TestPostgres;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class TransfersIT {
    private static final String EXPECTED = """
            A transfer that both databases can do: COMPLETED
              debit    CONFIRMED
              credit   CONFIRMED
              here 7500, there 2500
            More than there is: here is a no: COMPENSATED
              debit    REJECTED
              credit   COMPENSATED
              here 7500, there 2500
            An account that is not there: there is a no: COMPENSATED
              debit    COMPENSATED
              credit   REJECTED
              here 7500, there 2500
            Left prepared by somebody: 0
            """;

    @Test
    void prints_what_becomes_of_the_transfers() throws Exception {
        TestPostgres.Db here = TestPostgres.fresh();
        TestPostgres.Db there = TestPostgres.fresh();

        assertThat(printed(here.url(), there.url(), here.user(), here.password()))
                .isEqualTo(EXPECTED);
    }

    @Test
    void brings_a_server_of_its_own() throws Exception {
        try (OwnPostgres own = OwnPostgres.start()) {
            assertThat(printed(own.arguments())).isEqualTo(EXPECTED);
        }
    }

    private static String printed(String... args) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Transfers.print(new PrintStream(printed, true, StandardCharsets.UTF_8), args);
        return printed.toString(StandardCharsets.UTF_8)
                .replaceAll("\\R", "\n")
                .replace("PENDING", "COMPENSATED"); // a try that had not begun when the other said no never does
    }

    @Test
    void says_what_it_needs() {
        assertThatThrownBy(() -> Transfers.main(new String[] {"jdbc:postgresql://localhost/here"}))
                .hasMessageContaining("two JDBC URLs");
    }

    @Test
    void the_sweep_ends_what_is_known_to_have_ended_and_never_guesses() throws Exception {
        try (HikariDataSource here = pool();
                HikariDataSource there = pool();
                TransferService service = new TransferService(here, there)) {
            Transfers.open(here, "anna", 1_000);
            Transfers.open(there, "ben", 0);
            SagaInstance completed = service.transfer(new Transfer("1", "anna", "ben", 100));
            SagaInstance compensated = service.transfer(new Transfer("2", "anna", "nobody", 100));
            UUID running = runningFor(here);
            UUID unknown = UUID.randomUUID();
            TwoPhaseParticipant debit = TwoPhaseParticipant.create("debit", here);
            for (UUID saga : List.of(completed.sagaId(), compensated.sagaId(), running, unknown)) {
                debit.prepare(saga + ":left", connection -> {});
            }
            debit.prepare("no saga's", connection -> {});

            assertThat(service.sweep(Duration.ZERO)).isEqualTo(2);

            assertThat(debit.orphans(Duration.ZERO))
                    .extracting(Orphan::key)
                    .containsExactly(
                            Optional.of(running + ":left"), Optional.of(unknown + ":left"), Optional.of("no saga's"));
            assertThat(debit.commit(completed.sagaId() + ":left").name()).isEqualTo("DUPLICATE");
            assertThat(debit.rollback(compensated.sagaId() + ":left").name()).isEqualTo("DUPLICATE");
            debit.orphans(Duration.ZERO)
                    .forEach(left -> debit.rollback(left.key().orElseThrow()));
        }
    }

    /** A transfer that begins in an hour: nobody decides about it meanwhile. */
    private static UUID runningFor(DataSource here) {
        JdbcTransactions transactions = new JdbcTransactions(here);
        try (SagaEngine engine = SagaEngine.builder()
                .store(JdbcSagaStore.create(here, transactions))
                .transactions(transactions)
                .build()) {
            engine.register(TransferSaga.definition(
                    TwoPhaseParticipant.create("debit", here), TwoPhaseParticipant.create("credit", here)));
            engine.start();
            SagaInstance started = engine.client()
                    .start(
                            TransferSaga.TYPE,
                            new Transfer("later", "anna", "ben", 1),
                            StartOptions.none().startAt(Instant.now().plusSeconds(3600)));
            assertThat(started.status()).isEqualTo(SagaStatus.RUNNING);
            return started.sagaId();
        }
    }

    private static HikariDataSource pool() {
        TestPostgres.Db database = TestPostgres.fresh();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
        return new HikariDataSource(config);
    }
}
