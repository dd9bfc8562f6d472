package io.backstep.saga.examples.order;

import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

/** The orders. */
interface OrderRepository extends JpaRepository<OrderEntry, UUID> {}
