package io.backstep.saga.examples.order.inventory;

import jakarta.persistence.LockModeType;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Query;

/** The reservations, by idempotency key. */
interface ReservationRepository extends JpaRepository<ReservationEntry, String> {
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select r from ReservationEntry r where r.idempotencyKey = :key")
    Optional<ReservationEntry> locked(String key);
}
