package io.backstep.saga.examples.order;

import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /orders}.
 *
 * @param reference the customer's own name for the order: the same one again is the same order
 * @param customer who
 * @param sku what
 * @param quantity how many
 * @param amount what it costs in all
 * @param card what it is paid with; {@code ok} unless given
 */
record OrderRequest(
        @NotBlank @Size(max = 100) String reference,
        @NotBlank @Size(max = 100) String customer,
        @NotBlank @Size(max = 50) String sku,
        @Positive @Max(1000) int quantity,

        @NotNull @Positive @Digits(integer = 10, fraction = 2)
        BigDecimal amount,

        @Nullable @Size(max = 50) String card) {
    PlaceOrder order() {
        return new PlaceOrder(customer, sku, quantity, amount, card == null ? "ok" : card);
    }
}
