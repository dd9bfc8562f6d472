package io.backstep.saga.examples.order.inventory;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of {@code stock}. Only changed by conditional updates, see {@link StockRepository}. */
@Entity
@Table(name = "stock")
class StockEntry {
    @Id
    private String sku;

    private int stock;
    private int reserved;

    @SuppressWarnings("NullAway.Init") // filled by JPA
    protected StockEntry() {}

    StockLevel level() {
        return new StockLevel(sku, stock, reserved);
    }
}
