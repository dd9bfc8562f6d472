package io.backstep.saga.examples.order;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;

/** The orders that came in, by the customer's reference. */
interface ReceivedOrderRepository extends JpaRepository<ReceivedOrder, String> {
    List<ReceivedOrder> findTop200ByOrderByReceivedAtDesc();
}
