package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The order of what needs the database, and what is waited for. */
class FirstContactTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final FirstContact contact = new FirstContact(true);
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final AtomicBoolean isBack = new AtomicBoolean();
    private final AtomicInteger asked = new AtomicInteger();

    @AfterEach
    void stop() {
        contact.stop();
    }

    @Test
    void steps_after_the_first_that_must_wait_wait_too_and_each_is_taken_once_in_order() {
        contact.need(() -> taken.add("first"));
        contact.need(this::ask);
        contact.need(() -> taken.add("third"));
        assertThat(taken).containsExactly("first");

        contact.goOn();
        contact.need(() -> taken.add("fourth"));
        isBack.set(true);

        await().atMost(LONG)
                .untilAsserted(() -> assertThat(taken).containsExactly("first", "answer", "third", "fourth"));
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void an_outage_is_told_once_however_often_it_is_looked_at(CapturedOutput output) {
        contact.need(this::ask);
        contact.goOn();
        await().atMost(LONG).until(() -> asked.get() > 2);
        isBack.set(true);

        await().atMost(LONG).until(() -> output.getOut().contains("the database answers"));
        assertThat(output.getOut()).containsOnlyOnce("SAGA-DB-002").containsOnlyOnce("sagas run when it answers: ");
    }

    @Test
    void a_call_that_heeds_an_interrupt_ends_at_the_stop() {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        contact.need(this::ask);
        contact.need(() -> {
            entered.countDown();
            awaitAnInterrupt(interrupted);
        });
        isBack.set(true);
        contact.goOn();
        await().atMost(LONG).until(() -> entered.getCount() == 0);

        contact.stop();

        await().atMost(LONG).until(() -> interrupted.getCount() == 0);
    }

    @Test
    void what_is_no_outage_ends_the_start() {
        assertThatThrownBy(() -> contact.need(() -> {
                    throw new IllegalStateException("broken");
                }))
                .hasMessage("broken");
    }

    @Test
    void nobody_waits_who_was_not_told_to() {
        FirstContact hasty = new FirstContact(false);

        assertThatThrownBy(() -> hasty.need(this::ask)).hasMessage("away");
    }

    @Test
    void a_call_that_hangs_is_not_waited_for_and_nothing_follows_it() {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch hangs = new CountDownLatch(1);
        contact.need(this::ask);
        contact.need(() -> {
            entered.countDown();
            awaitWithoutHeed(hangs);
            taken.add("hung");
        });
        contact.need(() -> taken.add("next"));
        isBack.set(true);
        contact.goOn();
        await().atMost(LONG).until(() -> entered.getCount() == 0);

        contact.stop();
        hangs.countDown();

        await().atMost(LONG).until(() -> taken.contains("hung"));
        await().atMost(LONG)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("saga-first-contact")));
        assertThat(taken).containsExactly("answer", "hung");
        assertThatThrownBy(contact::refuseWhenStopped).hasMessage("the application is closed");
    }

    @ParameterizedTest
    @CsvSource({
        "08001, 0, true", // refused connection, unknown host
        "08006, 0, true",
        "57P03, 0, true", // it starts up
        "53300, 0, true", // too many connections
        "08004, 1040, true", // the same, of MariaDB
        "25006, 0, true", // read-only
        "08004, 0, false", // no password was given
        "28P01, 0, false",
        "28000, 1045, false",
        "3D000, 0, false",
        "42P01, 0, false",
        "42501, 0, false",
    })
    void an_outage_is_told_from_a_refusal(String state, int code, boolean away) {
        SQLException said = new SQLException("said", state, code);

        assertThat(NoAnswer.is(new IllegalStateException(said))).isEqualTo(away);
        assertThat(NoAnswer.is(new SQLTransientConnectionException("the pool gave up", state, said)))
                .as("what a pool makes of it")
                .isEqualTo(away || state.startsWith("42"));
    }

    private void ask() {
        asked.incrementAndGet();
        if (!isBack.get()) {
            throw new IllegalStateException("away", new SQLException("refused", "08001"));
        }
        taken.add("answer");
    }

    private static void awaitAnInterrupt(CountDownLatch seen) {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            seen.countDown();
        }
    }

    private static void awaitWithoutHeed(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // as a driver that opens a socket
            }
        }
    }
}
