package io.backstep.saga.examples.order;

import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import jakarta.persistence.EntityManager;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes orders in. */
@Service
public class OrderIntake {
    private final SagaClient sagas;
    private final ReceivedOrderRepository received;
    private final EntityManager entities;

    OrderIntake(SagaClient sagas, ReceivedOrderRepository received, EntityManager entities) {
        this.sagas = sagas;
        this.received = received;
        this.entities = entities;
    }

    /**
     * Notes that an order came in, and starts its saga: both or neither. The same reference again is the same order.
     *
     * @param reference the customer's own name for the order
     * @param order what is wanted
     * @return its saga, which begins when this transaction commits
     * @throws io.backstep.saga.SagaStartException when the reference was used for another order
     */
    @Transactional
    public SagaInstance place(String reference, PlaceOrder order) {
        SagaInstance saga = sagas.start(PlaceOrderSaga.TYPE, order, StartOptions.businessKey(reference));
        if (!received.existsById(reference)) {
            entities.persist(new ReceivedOrder(reference, saga.sagaId(), Instant.now()));
        }
        return saga;
    }

    /**
     * The orders that came in last.
     *
     * @return at most 200 of them, the newest first
     */
    @Transactional(readOnly = true)
    public List<UUID> latest() {
        return received.findTop200ByOrderByReceivedAtDesc().stream()
                .map(ReceivedOrder::orderId)
                .toList();
    }
}
