package io.backstep.saga.examples.order;

import java.math.BigDecimal;
import java.util.Objects;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Calls the payment service. A 422 is a no; all else that is not a yes leaves open whether money has moved. */
@Component
public class Payments {
    private static final String KEY = "Idempotency-Key";

    private final RestClient http;
    private final ParticipantAddress address;

    Payments(RestClient.Builder http, ParticipantAddress address) {
        this.http = http.build();
        this.address = address;
    }

    private record Charge(String card, BigDecimal amount) {}

    /**
     * Takes money.
     *
     * @param key the idempotency key
     * @param card whose
     * @param amount how much
     * @return what was taken
     * @throws PaymentDeclined when nothing was, and will be
     */
    public Payment charge(String key, String card, BigDecimal amount) {
        Payment payment = http.post()
                .uri(address.of("/participants/payments"))
                .header(KEY, key)
                .body(new Charge(card, amount))
                .retrieve()
                .onStatus(Payments::isNo, (request, response) -> {
                    throw new PaymentDeclined("the payment of " + amount + " was declined");
                })
                .body(Payment.class);
        return Objects.requireNonNull(payment);
    }

    /**
     * Gives back what a key has taken, if it has.
     *
     * @param key the idempotency key of the charge
     */
    public void refund(String key) {
        http.post()
                .uri(address.of("/participants/payments/refunds"))
                .header(KEY, key)
                .retrieve()
                .toBodilessEntity();
    }

    private static boolean isNo(HttpStatusCode status) {
        return status.value() == 422;
    }
}
