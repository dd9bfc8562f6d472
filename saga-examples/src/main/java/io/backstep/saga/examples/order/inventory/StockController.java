package io.backstep.saga.examples.order.inventory;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Shows how much there is. */
@RestController
class StockController {
    private final Inventory inventory;

    StockController(Inventory inventory) {
        this.inventory = inventory;
    }

    @GetMapping("/stock/{sku}")
    ResponseEntity<StockLevel> level(@PathVariable String sku) {
        return ResponseEntity.of(inventory.level(sku));
    }
}
