package io.backstep.saga.examples.order.inventory;

import io.backstep.saga.StepRejectedException;
import io.backstep.saga.examples.order.inventory.ReservationEntry.Status;
import jakarta.persistence.EntityManager;
import java.util.Optional;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Reserves goods, and releases or takes what was reserved: the semantic lock that keeps two orders off the same goods while
 * neither is decided. Each call may come twice, late, or in the wrong order: the key tells. Of two calls that race for a new
 * key the slower one fails on the primary key, and its retry sees what the other has done.
 */
@Service
public class Inventory {
    private final StockRepository stock;
    private final ReservationRepository reservations;
    private final EntityManager entities;

    Inventory(StockRepository stock, ReservationRepository reservations, EntityManager entities) {
        this.stock = stock;
        this.reservations = reservations;
        this.entities = entities;
    }

    /**
     * Sets goods aside, or finds what the same key has already set aside.
     *
     * @param key the idempotency key
     * @param sku what
     * @param quantity how many
     * @return what is reserved
     * @throws StepRejectedException when there is not enough, or when the key was released before
     */
    @Transactional
    public Reservation reserve(String key, String sku, int quantity) {
        Optional<ReservationEntry> earlier = reservations.locked(key);
        if (earlier.isPresent()) {
            return again(key, earlier.get());
        }
        if (stock.reserve(sku, quantity) == 0) {
            throw new StepRejectedException("OUT_OF_STOCK", "there are not " + quantity + " of " + sku + " left");
        }
        Reservation made = new Reservation(key, sku, quantity);
        entities.persist(ReservationEntry.of(made));
        return made;
    }

    private static Reservation again(String key, ReservationEntry earlier) {
        if (earlier.is(Status.RELEASED)) {
            throw new StepRejectedException("RELEASED_BEFORE", "too late: " + key + " has been released");
        }
        return earlier.reservation();
    }

    /**
     * Gives back what a key has reserved. When it never did, leaves a mark, so that a reservation that is still under way is
     * refused when it arrives.
     *
     * @param key the idempotency key of the reservation
     * @throws StepRejectedException when the goods have left the house
     */
    @Transactional
    public void release(String key) {
        Optional<ReservationEntry> earlier = reservations.locked(key);
        if (earlier.isEmpty()) {
            entities.persist(ReservationEntry.markOf(key));
            return;
        }
        if (earlier.get().is(Status.TAKEN)) {
            throw new StepRejectedException("TAKEN", "too late: the goods of " + key + " have left the house");
        }
        if (earlier.get().is(Status.RESERVED)) {
            Reservation made = earlier.get().reservation();
            earlier.get().becomes(Status.RELEASED);
            stock.release(made.sku(), made.quantity());
        }
    }

    /**
     * Takes what was reserved out of the house. Joins the caller's transaction, if there is one.
     *
     * @param key the idempotency key of the reservation
     * @throws IllegalStateException when nothing is reserved
     */
    @Transactional
    public void take(String key) {
        ReservationEntry earlier = reservations
                .locked(key)
                .orElseThrow(() -> new IllegalStateException("nothing was ever reserved with key " + key));
        if (earlier.is(Status.RELEASED)) {
            throw new IllegalStateException("what " + key + " reserved has been released");
        }
        if (earlier.is(Status.RESERVED)) {
            Reservation made = earlier.reservation();
            earlier.becomes(Status.TAKEN);
            stock.take(made.sku(), made.quantity());
        }
    }

    /**
     * Looks up how much there is.
     *
     * @param sku what
     * @return how much, or empty when it is not sold here
     */
    @Transactional(readOnly = true)
    public Optional<StockLevel> level(String sku) {
        return stock.findById(sku).map(StockEntry::level);
    }
}
