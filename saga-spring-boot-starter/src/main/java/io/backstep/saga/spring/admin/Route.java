package io.backstep.saga.spring.admin;

import io.backstep.saga.admin.AdminAction;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The addresses. There is one spelling of each; whatever else leads here has no answer. */
sealed interface Route {
    Pattern ADDRESS = Pattern.compile("(?:/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
            + "(?:/([a-z-]{1,30})|/steps/([A-Za-z0-9._-]{1,100})/resolve)?|/audit)?");

    /**
     * What is asked for.
     *
     * @return GET or POST
     */
    default String method() {
        return "GET";
    }

    record Sagas() implements Route {}

    record Audit() implements Route {}

    record Saga(UUID sagaId) implements Route {}

    record History(UUID sagaId) implements Route {}

    record Action(UUID sagaId, AdminAction action) implements Route {
        @Override
        public String method() {
            return "POST";
        }
    }

    record Resolve(UUID sagaId, String step) implements Route {
        @Override
        public String method() {
            return "POST";
        }
    }

    /**
     * Finds what an address means.
     *
     * @param rest what follows the base path, as it was sent
     * @return the route, or empty
     */
    static Optional<Route> of(String rest) {
        Matcher address = ADDRESS.matcher(rest);
        if (!address.matches()) {
            return Optional.empty();
        }
        if (address.group(1) == null) {
            return Optional.of(rest.isEmpty() ? new Sagas() : new Audit());
        }
        UUID sagaId = UUID.fromString(address.group(1));
        String step = address.group(3);
        return step == null ? of(sagaId, address.group(2)) : Optional.of(new Resolve(sagaId, step));
    }

    private static Optional<Route> of(UUID sagaId, @Nullable String what) {
        if (what == null) {
            return Optional.of(new Saga(sagaId));
        }
        if (what.equals("history")) {
            return Optional.of(new History(sagaId));
        }
        return Stream.of(AdminAction.values())
                .filter(action -> action != AdminAction.RESOLVE && action.code().equals(what))
                .findFirst()
                .map(action -> new Action(sagaId, action));
    }
}
