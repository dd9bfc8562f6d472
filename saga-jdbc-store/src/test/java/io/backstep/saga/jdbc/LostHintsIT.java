package io.backstep.saga.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.store.Listening;
import io.backstep.saga.testsupport.TestPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A connection that cannot listen, or not for long: it is tried again, less and less often, and told of once. */
class LostHintsIT {
    private final AtomicInteger borrowed = new AtomicInteger();
    private final AtomicInteger hints = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();

    /** Its connections break as soon as they have begun to listen. */
    private final DataSource breaking =
            Watched.wrap(source(), connection -> borrowed.incrementAndGet(), (connection, method, arguments) -> {
                if (method.getName().equals("unwrap")) {
                    throw new SQLException("broken", "08006");
                }
                return Watched.call(connection, method, arguments);
            });

    private static DataSource source() {
        TestPostgres.Db db = TestPostgres.fresh();
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(db.url());
        source.setUser(db.user());
        source.setPassword(db.password());
        return source;
    }

    private String loggedWhileListening(DataSource source, Duration perLook, Callable<Boolean> until) throws Exception {
        return Logged.during(() -> {
            try (Listening listening = PostgresHints.listen(
                    source, "it", () -> nanos.addAndGet(perLook.toNanos()), hints::incrementAndGet)) {
                await().atMost(Duration.ofMinutes(1)).until(until);
            }
            return "";
        });
    }

    @Test
    void one_that_breaks_soon_is_no_reason_to_try_more_often_again() throws Exception {
        String logged = loggedWhileListening(breaking, Duration.ofSeconds(14), () -> borrowed.get() == 4);

        assertThat(logged).containsOnlyOnce("SAGA-DB-016").contains("broken").doesNotContain("listening");
    }

    @Test
    void one_that_has_lived_for_half_a_minute_is() throws Exception {
        String logged = loggedWhileListening(breaking, Duration.ofSeconds(30), () -> borrowed.get() == 3);

        assertThat(logged).containsPattern("(?s)SAGA-DB-016.*listening to other nodes again.*SAGA-DB-016");
    }

    @Test
    void an_error_is_told_of_and_does_not_end_it() throws Exception {
        DataSource failing = Watched.wrap(
                source(),
                connection -> {
                    if (borrowed.incrementAndGet() == 1) {
                        throw new NoClassDefFoundError("some/Part");
                    }
                },
                connection -> {});

        String logged = loggedWhileListening(failing, Duration.ZERO, () -> hints.get() > 0);

        assertThat(logged).contains("SAGA-DB-016", "NoClassDefFoundError: some/Part");
    }
}
