package io.backstep.saga.spring.admin;

import io.backstep.saga.SagaRequestException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Shown;
import jakarta.servlet.http.HttpServletRequest;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request, each at most once. One without a value counts as left out. */
final class Query {
    private static final int MOST = 200;
    private static final String DEFAULT_SIZE = "50";
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final String kind;
    private final SortedMap<String, String> given = new TreeMap<>();

    private Query(String kind) {
        this.kind = kind;
    }

    /** For addresses that have none. */
    static void none(HttpServletRequest request) {
        of("", request, List.of());
    }

    /**
     * Reads them.
     *
     * @param kind what is listed
     * @param request whose
     * @param allowed their names
     * @return the parameters
     */
    static Query of(String kind, HttpServletRequest request, List<String> allowed) {
        Query query = new Query(kind);
        parameters(request).forEach((name, values) -> {
            if (!allowed.contains(name)) {
                throw RefusedException.badInput(
                        "SAGA-REQ-003",
                        Shown.line(name, 64),
                        Shown.quoted(name) + " is no query parameter here; allowed is "
                                + (allowed.isEmpty() ? "none" : String.join(", ", allowed)));
            }
            if (values.length > 1) {
                throw bad(name, values[1], "each once");
            }
            if (!values[0].isEmpty()) {
                query.given.put(name, values[0]);
            }
        });
        return query;
    }

    private static Map<String, String[]> parameters(HttpServletRequest request) {
        try {
            return request.getParameterMap();
        } catch (IllegalStateException e) {
            throw RefusedException.badInput("SAGA-REQ-004", "query", "the query cannot be decoded");
        }
    }

    @Nullable
    String text(String name, int longest) {
        String value = given.get(name);
        return value == null ? null : SagaRequestException.requireText(name, value, longest);
    }

    boolean flag(String name) {
        String value = given.getOrDefault(name, "false");
        if (!value.equals("true") && !value.equals("false")) {
            throw bad(name, value, "true or false");
        }
        return value.equals("true");
    }

    int size() {
        String value = given.getOrDefault("size", DEFAULT_SIZE);
        int size = NUMBER.matcher(value).matches() ? Integer.parseInt(value) : 0;
        if (size < 1 || size > MOST) {
            throw bad("size", value, "1 to " + MOST);
        }
        return size;
    }

    @Nullable
    SagaStatus status() {
        String value = given.get("status");
        if (value == null) {
            return null;
        }
        return Arrays.stream(SagaStatus.values())
                .filter(status -> status.name().equals(value))
                .findFirst()
                .orElseThrow(() -> bad("status", value, "one of " + Arrays.toString(SagaStatus.values())));
    }

    @Nullable
    UUID id(String name) {
        String value = given.get(name);
        if (value != null && !ID.matcher(value).matches()) {
            throw bad(name, value, "the id of a saga");
        }
        return value == null ? null : UUID.fromString(value);
    }

    @Nullable
    Instant time(String name) {
        String value = given.get(name);
        if (value == null) {
            return null;
        }
        try {
            OffsetDateTime time = OffsetDateTime.parse(value);
            if (time.getYear() >= 1970 && time.getYear() <= 9999) {
                return time.toInstant();
            }
        } catch (DateTimeException e) {
            // told below
        }
        throw bad(name, value, "a time such as 2026-01-31T12:00:00Z, from 1970 to 9999 (a + must be sent as %2B)");
    }

    @Nullable
    String raw(String name) {
        return given.get(name);
    }

    /** What the page is of: the same for all pages of a list. */
    String filter() {
        SortedMap<String, String> filter = new TreeMap<>(given);
        filter.remove("cursor");
        filter.remove("size");
        return kind + filter;
    }

    static RefusedException bad(String name, String value, String allowed) {
        return RefusedException.badInput(
                "SAGA-REQ-004", name, name + " is " + Shown.quoted(value) + "; allowed is " + allowed);
    }
}
