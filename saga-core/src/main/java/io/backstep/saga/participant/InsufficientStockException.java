package io.backstep.saga.participant;

import io.backstep.saga.Shown;
import io.backstep.saga.StepRejectedException;

/** There is not as much of an item as was asked for: nothing is reserved. A business no. The code is {@code SAGA-RSV-001}. */
public final class InsufficientStockException extends StepRejectedException {
    private static final long serialVersionUID = 1L;

    private final String item;

    /**
     * Says no.
     *
     * @param item of which there is not enough
     * @param quantity how much was asked for
     */
    public InsufficientStockException(String item, long quantity) {
        super("SAGA-RSV-001", "SAGA-RSV-001: fewer than " + quantity + " of " + Shown.quoted(item) + " are available");
        this.item = item;
    }

    /**
     * Which item.
     *
     * @return its name
     */
    public String item() {
        return item;
    }
}
