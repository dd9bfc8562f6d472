package io.backstep.saga.examples.order.participant;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A mail that was sent. */
@Entity
@Table(name = "mail")
class MailEntry {
    @Id
    private String idempotencyKey;

    private String recipient;
    private String text;

    @SuppressWarnings("NullAway.Init") // filled by JPA
    protected MailEntry() {}

    MailEntry(String key, String recipient, String text) {
        this.idempotencyKey = key;
        this.recipient = recipient;
        this.text = text;
    }

    String shown() {
        return recipient + ": " + text;
    }
}
