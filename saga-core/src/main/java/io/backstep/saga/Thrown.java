package io.backstep.saga;

import org.jspecify.annotations.Nullable;

/** What an exception of an application says, whatever its own code does when it is asked. */
public final class Thrown {
    private Thrown() {}

    /**
     * The message.
     *
     * @param thrown any
     * @return what it says, or null; a note in brackets when it throws instead
     */
    public static @Nullable String message(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (Throwable e) {
            return "(its message cannot be read)";
        }
    }

    /**
     * The cause.
     *
     * @param thrown any
     * @return its cause; null when there is none, or it throws instead
     */
    public static @Nullable Throwable cause(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable e) {
            return null;
        }
    }
}
