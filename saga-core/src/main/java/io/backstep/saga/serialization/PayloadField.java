package io.backstep.saga.serialization;

import java.util.UUID;

/**
 * Where a payload stands: what is encoded for one place cannot be read in another.
 *
 * @param sagaId whose it is
 * @param kind what it is
 * @param step of which step; empty for the saga as a whole
 */
public record PayloadField(UUID sagaId, Kind kind, String step) {
    /** What a payload is. */
    public enum Kind {
        /** The input of the saga. */
        INPUT,
        /** The result of a step: in the history, as what its compensation is handed, and as the payload of the signal that brings it. */
        RESULT,
        /** What a participant answered to a compensation. */
        RESPONSE,
        /** The text of an error: an application's exception may quote its data. */
        ERROR
    }

    /**
     * The input of a saga.
     *
     * @param sagaId whose
     * @return its place
     */
    public static PayloadField input(UUID sagaId) {
        return new PayloadField(sagaId, Kind.INPUT, "");
    }

    /**
     * The result of a step.
     *
     * @param sagaId whose
     * @param step of which step
     * @return its place
     */
    public static PayloadField result(UUID sagaId, String step) {
        return new PayloadField(sagaId, Kind.RESULT, step);
    }

    /**
     * What a participant answered to a compensation.
     *
     * @param sagaId whose
     * @param step of which step
     * @return its place
     */
    public static PayloadField response(UUID sagaId, String step) {
        return new PayloadField(sagaId, Kind.RESPONSE, step);
    }

    /**
     * The text of an error.
     *
     * @param sagaId whose
     * @param step of which step; empty for the saga as a whole
     * @return its place
     */
    public static PayloadField error(UUID sagaId, String step) {
        return new PayloadField(sagaId, Kind.ERROR, step);
    }

    /** The same for ever: what is stored is bound to it. */
    @Override
    public String toString() {
        return sagaId + "/" + kind + "/" + step;
    }
}
