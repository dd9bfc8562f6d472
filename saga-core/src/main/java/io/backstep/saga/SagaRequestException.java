package io.backstep.saga;

import org.jspecify.annotations.Nullable;

/** A request about a saga that is not well formed. Nothing was done. */
public final class SagaRequestException extends SagaException {
    private static final long serialVersionUID = 1L;

    private final String field;

    /**
     * Makes an exception.
     *
     * @param code the stable code
     * @param field which part of the request
     * @param message one sentence: what is wrong, and what is allowed
     */
    public SagaRequestException(String code, String field, String message) {
        super(code, message, null);
        this.field = field;
    }

    /**
     * Which part of the request is wrong.
     *
     * @return its name
     */
    public String field() {
        return field;
    }

    /**
     * Checks a text that a person has written.
     *
     * @param field its name
     * @param text the text
     * @param longest how many characters it may have
     * @return the text
     * @throws SagaRequestException {@code SAGA-REQ-001} when it is missing, blank or too long
     */
    public static String requireText(String field, @Nullable String text, int longest) {
        if (text == null || text.isBlank()) {
            throw new SagaRequestException(
                    "SAGA-REQ-001", field, field + " is missing or blank; 1 to " + longest + " characters are needed");
        }
        if (text.codePoints().anyMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE)) {
            throw new SagaRequestException(
                    "SAGA-REQ-001",
                    field,
                    field + " has a character that cannot be stored, " + Shown.quoted(text)
                            + "; whole characters other than U+0000 are allowed");
        }
        int length = text.codePointCount(0, text.length());
        if (length > longest) {
            throw new SagaRequestException(
                    "SAGA-REQ-001",
                    field,
                    field + " has " + length + " characters, " + Shown.quoted(text) + "; 1 to " + longest
                            + " are allowed");
        }
        return text;
    }
}
