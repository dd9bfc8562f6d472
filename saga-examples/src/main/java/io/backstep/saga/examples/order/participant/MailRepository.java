package io.backstep.saga.examples.order.participant;

import org.springframework.data.jpa.repository.JpaRepository;

/** The mails that were sent, by idempotency key. */
interface MailRepository extends JpaRepository<MailEntry, String> {}
