package io.backstep.saga;

import java.lang.reflect.Type;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The one rule for names of sagas and steps. */
public final class Names {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9._-]{1,100}");

    private Names() {}

    /**
     * Checks a name.
     *
     * @param what what it names, for the message, such as {@code step}
     * @param name the name
     * @return the name
     * @throws SagaDefinitionException {@code SAGA-DSL-001} when there is none, {@code SAGA-DSL-002} when it is not allowed
     */
    public static String checked(String what, @Nullable String name) {
        if (name == null || name.isBlank()) {
            throw new SagaDefinitionException("SAGA-DSL-001", "a " + what + " needs a name");
        }
        if (!ALLOWED.matcher(name).matches()) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-002",
                    "the name of a " + what + " is " + Shown.quoted(name)
                            + "; allowed are 1 to 100 of A-Z a-z 0-9 . _ -");
        }
        return name;
    }

    static Type typed(String what, @Nullable Type type) {
        if (type == null) {
            throw new SagaDefinitionException(
                    "SAGA-DSL-020", what + " has null for its type; name a class or a TypeRef");
        }
        return type;
    }
}
