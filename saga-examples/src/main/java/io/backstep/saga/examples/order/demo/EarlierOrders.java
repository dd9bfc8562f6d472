package io.backstep.saga.examples.order.demo;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.examples.order.OrderIntake;
import io.backstep.saga.store.SagaStore;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Notes, before the engine starts, which orders an earlier run has left behind. */
@Component
@ConditionalOnProperty(name = "example.demo", matchIfMissing = true)
class EarlierOrders implements SmartInitializingSingleton {
    private final OrderIntake intake;
    private final SagaStore store;
    private List<UUID> interrupted = List.of();
    private List<UUID> parked = List.of();

    EarlierOrders(OrderIntake intake, SagaStore store) {
        this.intake = intake;
        this.store = store;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<UUID> latest = intake.latest();
        interrupted = those(latest, SagaStatus::active);
        parked = those(latest, status -> status == SagaStatus.FAILED);
    }

    List<UUID> interrupted() {
        return interrupted;
    }

    List<UUID> parked() {
        return parked;
    }

    private List<UUID> those(List<UUID> ids, Predicate<SagaStatus> wanted) {
        return ids.stream()
                .filter(id ->
                        store.find(id).filter(row -> wanted.test(row.status())).isPresent())
                .toList();
    }
}
