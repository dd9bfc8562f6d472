package io.backstep.saga.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What every action comes to, wherever an operator may find a saga, over HTTP and on PostgreSQL. */
class AdminActionsIT {
    /** What is refused changes nothing: one saga will do for all of that. */
    private static final Map<Situation, UUID> IN = new EnumMap<>(Situation.class);

    private final AdminSite site = AdminSite.shared();

    // F016, F026, F171, F172, R2
    @ParameterizedTest(name = "{0}: {1} is answered by {2} {3}, {4}")
    @CsvSource(delimiter = '|', textBlock = """
            RUNNING_HELD               | retry              | 409 | SAGA-ADMIN-003 | compensate cancel
            RUNNING_HELD               | retry-compensation | 409 | SAGA-ADMIN-002 | compensate cancel
            RUNNING_HELD               | force-complete     | 409 | SAGA-ADMIN-003 | compensate cancel
            RUNNING_HELD               | compensate         | 202 |                | COMPENSATED
            RUNNING_HELD               | cancel             | 202 |                | COMPENSATED
            RUNNING_HELD_TRANSACTIONAL | retry              | 409 | SAGA-ADMIN-003 | compensate cancel
            RUNNING_HELD_TRANSACTIONAL | retry-compensation | 409 | SAGA-ADMIN-002 | compensate cancel
            RUNNING_HELD_TRANSACTIONAL | force-complete     | 409 | SAGA-ADMIN-003 | compensate cancel
            RUNNING_HELD_TRANSACTIONAL | compensate         | 202 |                | COMPENSATED
            RUNNING_HELD_TRANSACTIONAL | cancel             | 202 |                | COMPENSATED
            RUNNING_RELEASED           | retry              | 409 | SAGA-ADMIN-002 | compensate cancel force-complete resolve
            RUNNING_RELEASED           | retry-compensation | 409 | SAGA-ADMIN-002 | compensate cancel force-complete resolve
            RUNNING_RELEASED           | force-complete     | 200 |                | FORCE_COMPLETED
            RUNNING_RELEASED           | compensate         | 200 |                | COMPENSATED
            RUNNING_RELEASED           | cancel             | 200 |                | COMPENSATED
            RUNNING_OWNER_LOST         | retry              | 200 |                | COMPLETED
            RUNNING_OWNER_LOST         | retry-compensation | 409 | SAGA-ADMIN-002 | retry compensate cancel force-complete resolve
            RUNNING_OWNER_LOST         | force-complete     | 200 |                | FORCE_COMPLETED
            RUNNING_OWNER_LOST         | compensate         | 200 |                | COMPENSATED
            RUNNING_OWNER_LOST         | cancel             | 200 |                | COMPENSATED
            COMPENSATING_HELD          | retry              | 409 | SAGA-ADMIN-003 |
            COMPENSATING_HELD          | retry-compensation | 409 | SAGA-ADMIN-003 |
            COMPENSATING_HELD          | force-complete     | 409 | SAGA-ADMIN-003 |
            COMPENSATING_HELD          | compensate         | 409 | SAGA-ADMIN-002 |
            COMPENSATING_HELD          | cancel             | 409 | SAGA-ADMIN-002 |
            COMPENSATING_RELEASED      | retry              | 409 | SAGA-ADMIN-002 | force-complete resolve
            COMPENSATING_RELEASED      | retry-compensation | 409 | SAGA-ADMIN-002 | force-complete resolve
            COMPENSATING_RELEASED      | force-complete     | 200 |                | FORCE_COMPLETED
            COMPENSATING_RELEASED      | compensate         | 409 | SAGA-ADMIN-002 | force-complete resolve
            COMPENSATING_RELEASED      | cancel             | 409 | SAGA-ADMIN-002 | force-complete resolve
            COMPENSATING_OWNER_LOST    | retry              | 200 |                | COMPENSATED
            COMPENSATING_OWNER_LOST    | retry-compensation | 200 |                | COMPENSATED
            COMPENSATING_OWNER_LOST    | force-complete     | 200 |                | FORCE_COMPLETED
            COMPENSATING_OWNER_LOST    | compensate         | 409 | SAGA-ADMIN-002 | retry retry-compensation force-complete resolve
            COMPENSATING_OWNER_LOST    | cancel             | 409 | SAGA-ADMIN-002 | retry retry-compensation force-complete resolve
            COMPENSATION_EXHAUSTED     | retry              | 200 |                | COMPENSATED
            COMPENSATION_EXHAUSTED     | retry-compensation | 200 |                | COMPENSATED
            COMPENSATION_EXHAUSTED     | force-complete     | 200 |                | FORCE_COMPLETED
            COMPENSATION_EXHAUSTED     | compensate         | 409 | SAGA-ADMIN-002 | retry retry-compensation force-complete resolve
            COMPENSATION_EXHAUSTED     | cancel             | 409 | SAGA-ADMIN-002 | retry retry-compensation force-complete resolve
            PIVOT_UNKNOWN              | retry              | 200 |                | COMPLETED
            PIVOT_UNKNOWN              | retry-compensation | 409 | SAGA-ADMIN-002 | retry cancel force-complete resolve
            PIVOT_UNKNOWN              | force-complete     | 200 |                | FORCE_COMPLETED
            PIVOT_UNKNOWN              | compensate         | 409 | SAGA-ADMIN-002 | retry cancel force-complete resolve
            PIVOT_UNKNOWN              | cancel             | 202 |                | FAILED
            RETRIABLE_EXHAUSTED        | retry              | 200 |                | COMPLETED
            RETRIABLE_EXHAUSTED        | retry-compensation | 409 | SAGA-ADMIN-002 | retry force-complete resolve
            RETRIABLE_EXHAUSTED        | force-complete     | 200 |                | FORCE_COMPLETED
            RETRIABLE_EXHAUSTED        | compensate         | 409 | SAGA-ADMIN-002 | retry force-complete resolve
            RETRIABLE_EXHAUSTED        | cancel             | 409 | SAGA-ADMIN-002 | retry force-complete resolve
            RETRIABLE_REJECTED         | retry              | 200 |                | COMPLETED
            RETRIABLE_REJECTED         | retry-compensation | 409 | SAGA-ADMIN-002 | retry force-complete resolve
            RETRIABLE_REJECTED         | force-complete     | 200 |                | FORCE_COMPLETED
            RETRIABLE_REJECTED         | compensate         | 409 | SAGA-ADMIN-002 | retry force-complete resolve
            RETRIABLE_REJECTED         | cancel             | 409 | SAGA-ADMIN-002 | retry force-complete resolve
            RESULT_TOO_LARGE           | retry              | 200 |                | COMPLETED
            RESULT_TOO_LARGE           | retry-compensation | 409 | SAGA-ADMIN-002 | retry compensate cancel force-complete
            RESULT_TOO_LARGE           | force-complete     | 200 |                | FORCE_COMPLETED
            RESULT_TOO_LARGE           | compensate         | 200 |                | COMPENSATED
            RESULT_TOO_LARGE           | cancel             | 202 |                | FAILED
            UNREADABLE                 | retry              | 409 | SAGA-ADMIN-004 | force-complete
            UNREADABLE                 | retry-compensation | 409 | SAGA-ADMIN-004 | force-complete
            UNREADABLE                 | force-complete     | 200 |                | FORCE_COMPLETED
            UNREADABLE                 | compensate         | 409 | SAGA-ADMIN-004 | force-complete
            UNREADABLE                 | cancel             | 409 | SAGA-ADMIN-004 | force-complete
            STEP_UNKNOWN               | retry              | 409 | SAGA-ADMIN-004 | force-complete
            STEP_UNKNOWN               | retry-compensation | 409 | SAGA-ADMIN-004 | force-complete
            STEP_UNKNOWN               | force-complete     | 200 |                | FORCE_COMPLETED
            STEP_UNKNOWN               | compensate         | 409 | SAGA-ADMIN-004 | force-complete
            STEP_UNKNOWN               | cancel             | 409 | SAGA-ADMIN-004 | force-complete
            COMPLETED                  | retry              | 409 | SAGA-ADMIN-002 |
            COMPLETED                  | retry-compensation | 409 | SAGA-ADMIN-002 |
            COMPLETED                  | force-complete     | 409 | SAGA-ADMIN-002 |
            COMPLETED                  | compensate         | 409 | SAGA-ADMIN-002 |
            COMPLETED                  | cancel             | 409 | SAGA-ADMIN-002 |
            COMPENSATED                | retry              | 409 | SAGA-ADMIN-002 |
            COMPENSATED                | retry-compensation | 409 | SAGA-ADMIN-002 |
            COMPENSATED                | force-complete     | 409 | SAGA-ADMIN-002 |
            COMPENSATED                | compensate         | 409 | SAGA-ADMIN-002 |
            COMPENSATED                | cancel             | 409 | SAGA-ADMIN-002 |
            FORCE_COMPLETED            | retry              | 409 | SAGA-ADMIN-002 |
            FORCE_COMPLETED            | retry-compensation | 409 | SAGA-ADMIN-002 |
            FORCE_COMPLETED            | force-complete     | 409 | SAGA-ADMIN-002 |
            FORCE_COMPLETED            | compensate         | 409 | SAGA-ADMIN-002 |
            FORCE_COMPLETED            | cancel             | 409 | SAGA-ADMIN-002 |
            UNKNOWN_ID                 | retry              | 404 | SAGA-ADMIN-001 |
            UNKNOWN_ID                 | retry-compensation | 404 | SAGA-ADMIN-001 |
            UNKNOWN_ID                 | force-complete     | 404 | SAGA-ADMIN-001 |
            UNKNOWN_ID                 | compensate         | 404 | SAGA-ADMIN-001 |
            UNKNOWN_ID                 | cancel             | 404 | SAGA-ADMIN-001 |
            """)
    void every_action_in_every_situation(
            Situation situation, String action, int status, String code, String thenOrAllowed) {
        if (status > 202) {
            assertRefused(situation, action, status, code, thenOrAllowed);
        } else {
            assertAccepted(situation, action, status, thenOrAllowed);
        }
    }

    private void assertRefused(Situation situation, String action, int status, String code, String allowed) {
        UUID saga = IN.computeIfAbsent(situation, unused -> situation.make(site));
        Optional<Map<String, Object>> before = row(situation, saga);
        List<String> earlier = site.audit(saga);

        RawHttp.Answer answer = site.act("operator", saga, action);

        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.code()).isEqualTo(code);
        before.ifPresent(row -> {
            assertThat(answer.allowed())
                    .containsExactlyInAnyOrder(allowed == null ? new String[0] : allowed.split(" "));
            assertThat(answer.json().path("detail").asString()).contains(String.valueOf(row.get("status")));
        });
        assertThat(row(situation, saga)).isEqualTo(before);
        assertThat(site.audit(saga)).isEqualTo(earlier);
    }

    private void assertAccepted(Situation situation, String action, int status, String then) {
        UUID saga = situation.make(site);
        Map<String, Object> before = site.row(saga);
        if (!situation.held()) {
            Parcel.mend(saga);
        }

        RawHttp.Answer answer = site.act("operator", saga, action);

        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.json().path("before").asString()).startsWith(String.valueOf(before.get("status")));
        assertThat(site.audit(saga)).containsExactly("operator " + action);
        assertThat(site.lost(saga)).hasSize(situation.name().endsWith("OWNER_LOST") ? 1 : 0);
        if (situation.held()) {
            Parcel.mend(saga, "book");
            eventually(() -> site.mailIsRead(saga));
            Parcel.mend(saga);
        }
        eventually(() -> site.status(saga).equals(then));
    }

    private Optional<Map<String, Object>> row(Situation situation, UUID saga) {
        return situation == Situation.UNKNOWN_ID ? Optional.empty() : Optional.of(site.row(saga));
    }

    private static void eventually(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }

    @AfterAll
    static void letGo() {
        IN.values().forEach(Parcel::mend);
        IN.clear();
    }
}
