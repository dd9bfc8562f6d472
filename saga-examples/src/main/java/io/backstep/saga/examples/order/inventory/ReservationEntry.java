package io.backstep.saga.examples.order.inventory;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/** What became of one idempotency key. A mark (a release that came before its reservation) has no goods. */
@Entity
@Table(name = "reservation")
class ReservationEntry {
    enum Status {
        RESERVED,
        RELEASED,
        TAKEN
    }

    @Id
    private String idempotencyKey;

    private @Nullable String sku;
    private int quantity;

    @Enumerated(EnumType.STRING)
    private Status status;

    @SuppressWarnings("NullAway.Init") // filled by JPA
    protected ReservationEntry() {}

    private ReservationEntry(String key, @Nullable String sku, int quantity, Status status) {
        this.idempotencyKey = key;
        this.sku = sku;
        this.quantity = quantity;
        this.status = status;
    }

    static ReservationEntry of(Reservation made) {
        return new ReservationEntry(made.key(), made.sku(), made.quantity(), Status.RESERVED);
    }

    static ReservationEntry markOf(String key) {
        return new ReservationEntry(key, null, 0, Status.RELEASED);
    }

    boolean is(Status other) {
        return status == other;
    }

    void becomes(Status next) {
        status = next;
    }

    Reservation reservation() {
        if (sku == null) {
            throw new IllegalStateException("nothing was ever reserved with key " + idempotencyKey);
        }
        return new Reservation(idempotencyKey, sku, quantity);
    }
}
