package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.store.Acceptance;
import io.backstep.saga.store.Claimed;
import io.backstep.saga.store.Held;
import io.backstep.saga.store.InsertResult;
import io.backstep.saga.store.InstanceRow;
import io.backstep.saga.store.Mutation;
import io.backstep.saga.store.NewInstance;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MariaDbSettingsIT extends SettingsContract {
    private static final String LONG = "k".repeat(299);

    @Override
    TestDatabase fresh() {
        return TestDatabase.mariaDb();
    }

    @ParameterizedTest // F020, F040, F050
    @ValueSource(
            strings = {
                "useAffectedRows=true",
                "useServerPrepStmts=true",
                "useServerPrepStmts=true&useBulkStmts=true",
                "disablePipeline=true",
                "sessionVariables=sql_mode=''",
                "sessionVariables=sql_mode='ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH'",
                "sessionVariables=time_zone='-11:00'",
                "connectionTimeZone=+09:00&forceConnectionTimeZoneToSession=true",
                "sessionVariables=tx_isolation='SERIALIZABLE'",
                "sessionVariables=innodb_snapshot_isolation=1",
                "sessionVariables=tx_read_only=1",
                "autocommit=false"
            })
    void sagas_live_the_same(String properties) {
        try (HikariDataSource pool = database.with(properties).pool()) {
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
            List<UUID> ids = sagas.owned(3);
            String odd = "\"it's\" a back\\\\slash \ud83d\ude00";
            List<Mutation> batch = List.of(
                    Sagas.big(ids.get(0), 3),
                    Sagas.write(ids.get(1), 1, 0, Sagas.line("a", odd), Sagas.line("b", "2")),
                    Sagas.write(ids.get(2), 1, 0, Sagas.line("s".repeat(101), "1")));

            assertThat(sagas.submit(batch))
                    .containsExactly(Acceptance.Kind.ACCEPTED, Acceptance.Kind.ACCEPTED, Acceptance.Kind.REFUSED);
            assertThat(sagas.submit(batch.subList(0, 1))).containsExactly(Acceptance.Kind.STALE);
            assertThat(sagas.store.history(ids.get(1)))
                    .extracting(line -> line.entry().result())
                    .containsExactly(odd, "2");
            assertThat(sagas.store.compensations(ids.get(0))).hasSize(3);

            String key = UUID.randomUUID() + LONG;
            assertThat(sagas.insert(List.of(sagas.saga(key + "a", null), sagas.saga(key + "b", null))))
                    .containsExactly(InsertResult.Kind.REFUSED, InsertResult.Kind.REFUSED);
            NewInstance due = sagas.saga(UUID.randomUUID().toString(), null);
            assertThat(sagas.insert(List.of(due, sagas.saga(due.businessKey(), null))))
                    .containsExactly(InsertResult.Kind.INSERTED, InsertResult.Kind.EXISTS);
            assertThat(sagas.claim(1))
                    .extracting(claimed -> claimed.row().sagaId())
                    .containsExactly(due.sagaId());

            assertThat(renewed(sagas, due.sagaId(), 1)).containsExactly(due.sagaId());
            assertThat(recovered(sagas, due.sagaId(), 1)).isPresent();
            assertAboutNow(sagas.store.find(due.sagaId()).orElseThrow());
        }
    }

    private static Set<UUID> renewed(Sagas sagas, UUID id, long epoch) {
        return Told.ok(told -> sagas.store.renew(List.of(new Held(id, epoch)), Sagas.LEASE, told));
    }

    private static Optional<Claimed> recovered(Sagas sagas, UUID id, long epoch) {
        return Told.ok(told -> sagas.store.recover(new Held(id, epoch), Sagas.LEASE, told));
    }

    private static void assertAboutNow(InstanceRow row) {
        Instant due = row.dueAt();
        assertThat(due).isNotNull();
        for (Instant instant : List.of(row.createdAt(), row.updatedAt(), due)) {
            assertThat(Duration.between(instant, Instant.now()).abs()).isLessThan(Duration.ofMinutes(20));
        }
    }

    @Test // F040
    void sessions_in_two_time_zones_read_the_same() {
        try (HikariDataSource east =
                        database.with("sessionVariables=time_zone='+09:00'").pool();
                HikariDataSource west =
                        database.with("connectionTimeZone=America/Los_Angeles").pool()) {
            Sagas writer = new Sagas(JdbcSagaStore.create(east, new JdbcTransactions(east)));
            Sagas reader = new Sagas(JdbcSagaStore.create(west, new JdbcTransactions(west)));
            UUID id = writer.owned(1).get(0);
            writer.submit(List.of(Sagas.big(id, 1)));

            assertThat(reader.store.find(id)).isEqualTo(writer.store.find(id));
            assertThat(reader.store.history(id)).isEqualTo(writer.store.history(id));
            assertThat(reader.store.compensations(id)).isEqualTo(writer.store.compensations(id));
        }
    }

    @Test
    void nothing_stays_on_the_connection() {
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(1))) {
            String settings = "select concat_ws(' ', @@tx_isolation, @@autocommit, @@innodb_lock_wait_timeout,"
                    + " @@sql_mode, @@max_statement_time, @@tx_read_only)";
            List<String> before = TestDatabase.strings(pool, settings);
            Sagas sagas = new Sagas(JdbcSagaStore.create(pool, new JdbcTransactions(pool)));
            List<UUID> ids = sagas.owned(2);
            sagas.submit(List.of(Sagas.big(ids.get(0), 2), Sagas.write(ids.get(1), 1, 0)));
            sagas.claim(5);
            recovered(sagas, ids.get(0), 1);

            assertThat(TestDatabase.strings(pool, settings)).isEqualTo(before);
        }
    }
}
