package io.backstep.saga.examples.order;

import io.backstep.saga.examples.order.inventory.Inventory;
import io.backstep.saga.examples.order.inventory.Reservation;
import jakarta.persistence.EntityManager;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The orders. What the {@code MANDATORY} methods write commits together with the saga's own record of the step: it happens exactly
 * once, and needs no key.
 */
@Service
public class Orders {
    private final OrderRepository orders;
    private final Inventory inventory;
    private final EntityManager entities;

    Orders(OrderRepository orders, Inventory inventory, EntityManager entities) {
        this.orders = orders;
        this.inventory = inventory;
        this.entities = entities;
    }

    /**
     * Writes an order down.
     *
     * @param id its id
     * @param order what is wanted
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public void create(UUID id, PlaceOrder order) {
        entities.persist(new OrderEntry(id, order));
    }

    /**
     * Says no to an order; undoes {@link #create}.
     *
     * @param id the order
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public void reject(UUID id) {
        orders.getReferenceById(id).becomes(OrderStatus.REJECTED);
    }

    /**
     * Says yes to an order. There is no way back.
     *
     * @param id the order
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public void confirm(UUID id) {
        orders.getReferenceById(id).becomes(OrderStatus.CONFIRMED);
    }

    /**
     * Sends the goods. May be called again.
     *
     * @param id the order
     * @param reservation the goods
     */
    @Transactional
    public void ship(UUID id, Reservation reservation) {
        inventory.take(reservation.key());
        orders.getReferenceById(id).becomes(OrderStatus.SHIPPED);
    }

    /**
     * Looks an order up.
     *
     * @param id the order
     * @return what is written down, or empty when nothing is yet
     */
    @Transactional(readOnly = true)
    public Optional<OrderState> find(UUID id) {
        return orders.findById(id).map(OrderEntry::state);
    }
}
