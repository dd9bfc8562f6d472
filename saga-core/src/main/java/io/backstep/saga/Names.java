package io.backstep.saga;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The one rule for names of sagas and steps. */
final class Names {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9._-]{1,100}");

    private Names() {}

    static String checked(String what, @Nullable String name) {
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
}
