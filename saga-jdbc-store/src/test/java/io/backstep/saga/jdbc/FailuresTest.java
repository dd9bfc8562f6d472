package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.store.SagaStoreException.Effect;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a failure means is told by its SQLState, in whatever language the server speaks. */
class FailuresTest {
    private static final Pattern BY_TEXT = Pattern.compile(
            "getMessage\\(\\)\\s*\\)?\\s*\\.\\s*(contains|startsWith|endsWith|matches|equals|indexOf|to)");

    /** Server messages of an error while a commit record is written end the session: the driver tells so after the error itself. */
    @ParameterizedTest
    @CsvSource({
        "22001, true", "23505, true", "40P01, true", "40001, true", "55P03, true", "42501, true", "57014, true",
                "P0001, true",
        "40003, false", "53100, false", "53200, false", "57P01, false", "58030, false", "XX000, false", "08006, false",
                ", false"
    })
    void what_is_sent_with_its_commit_is_in_doubt_unless_the_database_says_why_not(
            @Nullable String state, boolean nothing) {
        SQLException failure = new SQLException("refused", state);
        assertThat(Failures.saysNothingWasDone(failure)).isEqualTo(nothing);

        failure.setNextException(new SQLException("then the connection broke", "08006"));
        assertThat(Failures.saysNothingWasDone(failure)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERROR: deadlock detected",
                "FEHLER: Verklemmung (Deadlock) entdeckt",
                "ОШИБКА: обнаружена взаимоблокировка",
                "HATA: kilitlenme saptandı",
                ""
            })
    void the_language_of_the_server_does_not_matter(String text) {
        assertThat(Failures.isTransient(new SQLException(text, "40P01"))).isTrue();
        assertThat(Failures.isTransient(new SQLException(text, "40001"))).isTrue();
        assertThat(Failures.isTransient(new SQLException(text, "08006"))).isFalse();
        assertThat(Failures.isData(new SQLException(text, "23505"))).isTrue();
        assertThat(Failures.isData(new SQLException(text, "57P01"))).isFalse();
        assertThat(Failures.isLock(new SQLException(text, "55P03"))).isTrue();
        assertThat(Failures.onCommit(new SQLException(text, "40001")).effect()).isEqualTo(Effect.NONE);
        assertThat(Failures.onCommit(new SQLException(text, "08006")).effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(Failures.onCommit(new SQLException(text)).effect()).isEqualTo(Effect.UNKNOWN);
    }

    @Test
    void a_connection_that_broke_is_told_from_one_that_somebody_closed() {
        assertThat(Failures.isConnectionLost(new IllegalStateException(new SQLException("", "08006"))))
                .isTrue();
        assertThat(Failures.isConnectionLost(new SQLException("", "57P01"))).isTrue();
        assertThat(Failures.isConnectionLost(new SQLException("idle in a transaction, PostgreSQL", "25P03")))
                .isTrue();
        assertThat(Failures.isConnectionLost(new SQLException("connection broken, H2", "90067", 90067)))
                .isTrue();
        assertThat(Failures.isConnectionLost(new SQLException("killed, MariaDB", "70100", 1927)))
                .isTrue();
        assertThat(Failures.isConnectionLost(new SQLException("query interrupted, MariaDB", "70100", 1317)))
                .isFalse();
        assertThat(Failures.isConnectionLost(new SQLException("", "08003"))).isFalse();
        assertThat(Failures.isConnectionLost(new SQLException("", "40001"))).isFalse();
    }

    @Test // D21
    void the_causes_of_an_application_may_throw_go_in_circles_or_go_on_without_end() {
        Exception throwing = new Exception("odd") {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized Throwable getCause() {
                throw new AssertionError("no cause for you");
            }
        };
        Exception circle = new Exception("one");
        circle.initCause(new Exception("two", circle));
        Throwable bottomless = new SQLException("deep down", "40001");
        for (int i = 0; i < 100_000; i++) {
            bottomless = new Exception(null, bottomless, false, false) {
                private static final long serialVersionUID = 1L;
            };
        }

        assertThat(Failures.isTransient(throwing)).isFalse();
        assertThat(Failures.isTransient(circle)).isFalse();
        assertThat(Failures.isTransient(bottomless)).isTrue();
    }

    @Test
    void nothing_is_decided_by_the_text_of_a_message() throws IOException {
        assertThat(sources())
                .isNotEmpty()
                .allSatisfy(file ->
                        assertThat(Files.readString(file)).as(file.toString()).doesNotContainPattern(BY_TEXT));
    }

    /** This module's, and those that know databases as well. */
    private static List<Path> sources() throws IOException {
        try (Stream<Path> here = Files.walk(Path.of("src/main/java"));
                Stream<Path> starter = Files.walk(Path.of("../saga-spring-boot-starter/src/main/java"))) {
            return Stream.concat(here, starter)
                    .filter(file -> file.toString().endsWith(".java"))
                    .toList();
        }
    }
}
