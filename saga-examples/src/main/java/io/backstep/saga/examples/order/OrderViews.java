package io.backstep.saga.examples.order;

import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.store.SagaStore;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Reads what there is to know about an order: its own row, its saga, the saga log and the compensation log. */
@Component
public class OrderViews {
    private final Orders orders;
    private final SagaClient sagas;
    private final SagaStore store;

    OrderViews(Orders orders, SagaClient sagas, SagaStore store) {
        this.orders = orders;
        this.sagas = sagas;
        this.store = store;
    }

    /**
     * Finds an order.
     *
     * @param orderId its id
     * @return the order and its saga, or empty
     */
    public Optional<OrderView> find(UUID orderId) {
        return sagas.find(orderId).map(this::of);
    }

    /**
     * Adds the logs and the order itself.
     *
     * @param saga the order's saga
     * @return both
     */
    public OrderView of(SagaInstance saga) {
        UUID id = saga.sagaId();
        return OrderView.of(
                saga,
                orders.find(id).orElse(null),
                store.history(id).stream().map(LogLine::of).toList(),
                store.compensations(id).stream().map(UndoLine::of).toList());
    }
}
