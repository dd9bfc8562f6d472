package io.backstep.saga.spring.admin;

import io.backstep.saga.SagaConfigurationException;
import io.backstep.saga.Shown;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the REST API, checked. Made from the properties {@code saga.admin}; not for applications.
 *
 * @param basePath where it is, below the context path
 * @param requireIfMatch whether an action must name the version that the operator has seen
 * @param openToAnyone whether it is open when nothing says who may use it
 * @param roles who may do what by default
 */
public record AdminSettings(String basePath, boolean requireIfMatch, boolean openToAnyone, Roles roles) {
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){1,10}");
    private static final Pattern ROLE = Pattern.compile("[^\\s,]{1,200}");

    /**
     * Checks the path.
     *
     * @throws SagaConfigurationException {@code SAGA-CFG-019} when the API must not be there
     */
    public AdminSettings {
        if (!PATH.matcher(basePath).matches()) {
            throw wrong(
                    basePath,
                    "a path of A-Z a-z 0-9 . _ - that begins with / and does not end with it, without wildcards");
        }
        String lower = basePath.toLowerCase(Locale.ROOT);
        if (isAtOrBelow(lower, "/actuator") || lower.startsWith("/health")) {
            throw wrong(basePath, "not at or below /actuator or /health, where others' rules of access apply");
        }
    }

    /**
     * Checks that it is apart from the management endpoints.
     *
     * @param managementPath where those are, or null
     * @return these settings
     * @throws SagaConfigurationException {@code SAGA-CFG-019} when it is not
     */
    public AdminSettings apartFrom(@Nullable String managementPath) {
        if (managementPath != null && managementPath.length() > 1 && isAtOrBelow(basePath, managementPath)) {
            throw wrong(basePath, "not at or below " + managementPath + ", where the management endpoints are");
        }
        return this;
    }

    private static boolean isAtOrBelow(String path, String reserved) {
        return path.equals(reserved) || path.startsWith(reserved + "/");
    }

    private static SagaConfigurationException wrong(String path, String allowed) {
        return new SagaConfigurationException(
                "SAGA-CFG-019", "saga.admin.base-path is " + Shown.quoted(path) + "; allowed is " + allowed);
    }

    /**
     * Roles of Spring Security, with or without {@code ROLE_} before them.
     *
     * @param viewer may look
     * @param operator may act, too
     * @param admin may see payloads, too
     */
    public record Roles(List<String> viewer, List<String> operator, List<String> admin) {
        /**
         * Checks the names.
         *
         * @throws SagaConfigurationException {@code SAGA-CFG-016} when one is none
         */
        public Roles {
            viewer = checked("viewer", viewer);
            operator = checked("operator", operator);
            admin = checked("admin", admin);
        }

        private static List<String> checked(String name, List<String> roles) {
            for (String role : roles) {
                if (!ROLE.matcher(role).matches()) {
                    throw new SagaConfigurationException(
                            "SAGA-CFG-016",
                            "saga.admin.roles." + name + " has " + Shown.quoted(role)
                                    + "; allowed are names without blanks, separated by commas");
                }
            }
            return List.copyOf(roles);
        }
    }
}
