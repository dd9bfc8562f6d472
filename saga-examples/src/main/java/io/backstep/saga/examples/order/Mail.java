package io.backstep.saga.examples.order;

import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Calls the mail service. */
@Component
public class Mail {
    private final RestClient http;
    private final ParticipantAddress address;

    Mail(RestClient.Builder http, ParticipantAddress address) {
        this.http = http.build();
        this.address = address;
    }

    private record Letter(String recipient, String text) {}

    /**
     * Tells a customer that the goods are on their way.
     *
     * @param key the idempotency key
     * @param customer whom
     * @param payment what was paid
     */
    public void confirmation(String key, String customer, Payment payment) {
        http.post()
                .uri(address.of("/participants/mail"))
                .header("Idempotency-Key", key)
                .body(new Letter(customer, "Thank you for your payment of " + payment.amount()))
                .retrieve()
                .toBodilessEntity();
    }
}
