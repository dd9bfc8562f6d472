package io.backstep.saga;

/** Told about everything that needs a person: a parked saga, a compensation that is spent. */
@FunctionalInterface
public interface AlertListener {
    /**
     * Called after the commit that recorded it, on one of the engine's threads; must not block for long. What it throws is
     * logged and disturbs nothing. A crash between commit and call loses the call, never the record.
     *
     * @param alert what happened
     */
    void onAlert(Alert alert);
}
