package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.store.SagaStore;
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

    private final List<String> pauses = new CopyOnWriteArrayList<>();
    private final FirstContact contact = new FirstContact(true, this::shortPause, Duration.ofMillis(50));
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final AtomicBoolean isBack = new AtomicBoolean();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger interrupts = new AtomicInteger();

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
    @ExtendWith(OutputCaptureExtension.class)
    void a_fault_is_told_once_whatever_its_text_and_looked_at_less_and_less_often(CapturedOutput output) {
        contact.need(() -> {
            throw asked.incrementAndGet() == 1 ? away() : refusedLogin(asked.get());
        });
        contact.goOn();
        await().atMost(LONG).until(() -> asked.get() > 4);
        contact.stop();

        assertThat(pauses).startsWith("1 away", "1 fault", "2 fault", "3 fault");
        assertThat(output.getOut())
                .containsOnlyOnce("no saga runs until that is mended")
                .contains("after 2 ms;");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void another_fault_is_told_too_but_looked_at_no_sooner(CapturedOutput output) {
        List<RuntimeException> all = List.of(
                away(),
                new SagaConfigurationException("SAGA-CFG-003", "the tables are missing"),
                new SagaConfigurationException("SAGA-CFG-006", "the pool has a maximum of 1"),
                refusedLogin(1),
                new IllegalStateException(new SQLException("no such database", "3D000")),
                new NullPointerException("broken"),
                away());
        contact.need(() -> {
            throw all.get(Math.min(asked.getAndIncrement(), all.size() - 1));
        });
        contact.goOn();
        await().atMost(LONG).until(() -> asked.get() > all.size());
        contact.stop();

        assertThat(pauses).startsWith("1 away", "1 fault", "2 fault", "3 fault", "4 fault", "5 fault", "1 away");
        assertThat(output.getOut().split("no saga runs until that is mended", -1))
                .hasSize(6);
    }

    @Test
    void pauses_grow_from_a_second_to_three_or_thirty_and_by_up_to_a_half_more() {
        assertThat(FirstContact.pause(1, true)).isBetween(seconds(1), seconds(1.5));
        assertThat(FirstContact.pause(2, false)).isBetween(seconds(2), seconds(3));
        assertThat(FirstContact.pause(1000, true)).isBetween(seconds(3), seconds(4.5));
        assertThat(FirstContact.pause(1000, false)).isBetween(seconds(30), seconds(45));
    }

    @Test
    void what_is_stopped_does_not_go_on() {
        contact.need(this::ask);
        contact.goOn();
        contact.stop();

        assertThatThrownBy(contact::goOn).hasMessage("the engine is CLOSED");
    }

    @Test
    void a_store_that_is_not_there_yet_can_be_shown_and_compared() {
        SagaStore store = LateStore.of(contact, () -> {
            throw away();
        });

        assertThat(store).hasToString("a store that is not there yet").isEqualTo(store);
        assertThat(store).isNotEqualTo("store").hasSameHashCodeAs(store);
        assertThatThrownBy(() -> store.isTransient(away())).hasMessageStartingWith("SAGA-DB-003");
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
        await().atMost(LONG).until(() -> interrupts.get() > 0);
        contact.stop();
        hangs.countDown();

        await().atMost(LONG).until(() -> taken.contains("hung"));
        await().atMost(LONG)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("saga-first-contact")));
        assertThat(taken).containsExactly("answer", "hung");
        assertThat(interrupts).as("the second stop has nothing to wait for").hasValue(1);
        assertThatThrownBy(contact::goOn).hasMessage("the engine is CLOSED");
    }

    @ParameterizedTest
    @CsvSource({
        "08001, 0, true", // refused connection, unknown host
        "08006, 0, true",
        "57P03, 0, true", // it starts up
        "53300, 0, true", // too many connections
        "08004, 1040, true", // the same, of MariaDB
        "25006, 0, true", // read-only
        "HY000, 1290, true", // the same, of MariaDB
        "HY000, 1836, true",
        "90097, 90097, true", // of H2
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
            throw away();
        }
        taken.add("answer");
    }

    private Duration shortPause(int tries, boolean away) {
        pauses.add(tries + (away ? " away" : " fault"));
        return Duration.ofMillis(1);
    }

    private static RuntimeException away() {
        return new IllegalStateException("away", new SQLException("refused", "08001"));
    }

    /** As it comes out of a pool: its text is another one each time. */
    private static RuntimeException refusedLogin(int millis) {
        SQLException said = new SQLException("login", "28P01");
        return new IllegalStateException(
                new SQLTransientConnectionException("request timed out after " + millis + " ms;", "28P01", said));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis((long) (seconds * 1000));
    }

    private static void awaitAnInterrupt(CountDownLatch seen) {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            seen.countDown();
        }
    }

    private void awaitWithoutHeed(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                interrupts.incrementAndGet(); // as a driver that opens a socket
            }
        }
    }
}
