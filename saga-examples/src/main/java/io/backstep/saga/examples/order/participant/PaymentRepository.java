package io.backstep.saga.examples.order.participant;

import jakarta.persistence.LockModeType;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Query;

/** The payments, by idempotency key. */
interface PaymentRepository extends JpaRepository<PaymentEntry, String> {
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select p from PaymentEntry p where p.idempotencyKey = :key")
    Optional<PaymentEntry> locked(String key);
}
