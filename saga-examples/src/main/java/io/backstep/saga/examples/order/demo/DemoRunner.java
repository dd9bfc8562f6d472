package io.backstep.saga.examples.order.demo;

import io.backstep.saga.engine.SagaClient;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.examples.order.OrderIntake;
import io.backstep.saga.examples.order.OrderView;
import io.backstep.saga.examples.order.OrderViews;
import io.backstep.saga.examples.order.PlaceOrder;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Shows what becomes of the orders of an earlier run, places some new ones, shows them, and says what to try next. */
@Component
@ConditionalOnProperty(name = "example.demo", matchIfMissing = true)
class DemoRunner {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final EarlierOrders earlier;
    private final OrderIntake intake;
    private final OrderViews views;
    private final SagaClient sagas;
    private final Environment environment;

    DemoRunner(EarlierOrders earlier, OrderIntake intake, OrderViews views, SagaClient sagas, Environment environment) {
        this.earlier = earlier;
        this.intake = intake;
        this.views = views;
        this.sagas = sagas;
        this.environment = environment;
    }

    @EventListener(ApplicationReadyEvent.class)
    @Order(1)
    void run() {
        showEarlier();
        place("An order that completes", "ok");
        place("A payment that is declined: what was done before is undone, last first", "declined");
        place(
                "A payment whose answer is lost each time: nobody knows whether it was charged, so it is refunded first;"
                        + " the refund fails for ever, so that the saga is parked for an operator. The others are undone all the same",
                "cannot-refund");
        say(Hints.text(
                environment.getProperty("local.server.port", "8080"),
                ProcessHandle.current().pid()));
    }

    private void showEarlier() {
        List<UUID> interrupted = earlier.interrupted();
        if (!interrupted.isEmpty()) {
            say("== " + interrupted.size() + " order(s) of an earlier run were interrupted. This is how they ended:");
            interrupted.forEach(this::show);
        }
        if (!earlier.parked().isEmpty()) {
            say("== " + earlier.parked().size() + " order(s) of an earlier run are parked and wait for an operator.");
        }
    }

    private void place(String title, String card) {
        PlaceOrder order = new PlaceOrder("ann@example.org", "book", 1, new BigDecimal("12.50"), card);
        SagaInstance saga = intake.place("demo-" + UUID.randomUUID(), order);
        say("== " + title + ":");
        show(saga.sagaId());
    }

    private void show(UUID id) {
        OrderView order = views.of(sagas.await(id, PATIENCE));
        say(SagaTable.of(order));
    }

    private static void say(String text) {
        System.out.println(text);
    }
}
