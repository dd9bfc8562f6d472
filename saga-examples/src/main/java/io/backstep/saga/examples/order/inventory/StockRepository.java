package io.backstep.saga.examples.order.inventory;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

/**
 * The stock. Checking and changing are one statement each, so that two orders can never have the same goods, whatever the
 * isolation level.
 */
interface StockRepository extends JpaRepository<StockEntry, String> {
    @Modifying
    @Query("update StockEntry s set s.reserved = s.reserved + :quantity"
            + " where s.sku = :sku and s.stock - s.reserved >= :quantity")
    int reserve(String sku, int quantity);

    @Modifying
    @Query("update StockEntry s set s.reserved = s.reserved - :quantity where s.sku = :sku")
    int release(String sku, int quantity);

    @Modifying
    @Query("update StockEntry s set s.stock = s.stock - :quantity, s.reserved = s.reserved - :quantity"
            + " where s.sku = :sku")
    int take(String sku, int quantity);
}
