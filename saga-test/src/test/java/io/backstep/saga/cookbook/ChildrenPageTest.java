package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.StepStatus;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.ListQuery;
import io.backstep.saga.test.SagaScenario;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The code of docs/cookbook/children.md, and that it does what the page says. */
class ChildrenPageTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    record Order(String customer, List<String> items) {}

    record Parcel(String address, List<String> items) {}

    static final SagaType<Order> ORDER = SagaType.named("order", Order.class);
    static final SagaType<Parcel> PARCEL = SagaType.named("parcel", Parcel.class);
    static final Step<String> SHIP = Step.named("ship", String.class);
    static final Step<String> TRACKING = Step.named("tracking", String.class);

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final InMemorySagaStore store = new InMemorySagaStore();

    /** Packs everything but glass. */
    final class Warehouse {
        void pack(String key, List<String> items) {
            if (items.contains("glass")) {
                throw new StepRejectedException("FRAGILE", "not by parcel");
            }
            done.add("pack " + items);
        }

        void unpack(String key) {
            done.add("unpack");
        }

        String book(String key, String address) {
            done.add("to " + address);
            return "T-1";
        }

        void cancel(String key) {
            done.add("cancel parcel");
        }
    }

    /** Refuses to invoice those who do not pay. */
    final class Shop {
        void reserve(String key, List<String> items) {
            done.add("reserve");
        }

        void release(String key) {
            done.add("release");
        }

        String address(String customer) {
            return customer + "'s home";
        }

        void invoice(String key, String tracking) {
            if (refuses) {
                throw new StepRejectedException("NO_MONEY", "does not pay");
            }
            done.add("invoice for " + tracking);
        }

        void credit(String key) {
            done.add("credit");
        }

        void pickUp(String key, Optional<String> tracking) {
            done.add("pick up " + tracking.orElse("?"));
        }
    }

    private boolean refuses;

    static SagaDefinition<Parcel> parcel(Warehouse warehouse) {
        return Saga.define(PARCEL)
                .step("pack")
                .action(c -> warehouse.pack(c.idempotencyKey(), c.input().items()))
                .compensate(c -> warehouse.unpack(c.idempotencyKey()))
                .step(TRACKING)
                .action(c -> warehouse.book(c.idempotencyKey(), c.input().address()))
                .compensate((c, number) -> warehouse.cancel(c.idempotencyKey()))
                .build();
    }

    static SagaDefinition<Order> order(Shop shop) {
        return Saga.define(ORDER)
                .step("reserve")
                .action(c -> shop.reserve(c.idempotencyKey(), c.input().items()))
                .compensate(c -> shop.release(c.idempotencyKey()))
                .step(SHIP)
                .startSaga(
                        PARCEL,
                        c -> new Parcel(
                                shop.address(c.input().customer()), c.input().items()),
                        TRACKING)
                .step("invoice")
                .action(c -> shop.invoice(c.idempotencyKey(), c.result(SHIP)))
                .compensate(c -> shop.credit(c.idempotencyKey()))
                .build();
    }

    static SagaDefinition<Order> orderWithPickUp(Shop shop) {
        return Saga.define(ORDER)
                .step(SHIP)
                .startSaga(
                        PARCEL, c -> new Parcel(c.input().customer(), c.input().items()), TRACKING)
                .compensate((c, tracking) -> shop.pickUp(c.idempotencyKey(), tracking))
                .step("invoice")
                .action(c -> shop.invoice(c.idempotencyKey(), c.result(SHIP)))
                .compensate(c -> shop.credit(c.idempotencyKey()))
                .build();
    }

    private SagaInstance run(SagaDefinition<Order> order, SagaDefinition<Parcel> parcel, String item) {
        try (SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .build()) {
            engine.register(order);
            engine.register(parcel);
            engine.start();
            UUID id = engine.client()
                    .start(ORDER, new Order("ada", List.of(item)))
                    .sagaId();
            return engine.client().await(id, LONG);
        }
    }

    private SagaStatus child() {
        ListQuery parcels = new ListQuery(null, PARCEL.name(), null, null, null, null, null, null, 10);
        return store.list(parcels).get(0).status();
    }

    @Test
    void an_order_ships_a_parcel_and_is_told_its_number() {
        SagaInstance order = run(order(new Shop()), parcel(new Warehouse()), "book");

        assertThat(order.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(order.result(SHIP)).contains("T-1");
        assertThat(done).containsExactly("reserve", "pack [book]", "to ada's home", "invoice for T-1");
    }

    @Test
    void a_parcel_that_is_compensated_rejects_the_order() {
        SagaInstance order = run(order(new Shop()), parcel(new Warehouse()), "glass");

        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(order.reason()).isEqualTo(SagaReason.REJECTED);
        assertThat(order.steps().get(1).status()).isEqualTo(StepStatus.REJECTED);
        assertThat(done).containsExactly("reserve", "release");
    }

    @Test
    void an_order_that_turns_later_takes_its_parcel_back() {
        refuses = true;

        SagaInstance order = run(order(new Shop()), parcel(new Warehouse()), "book");

        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(child()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(done)
                .containsExactly("reserve", "pack [book]", "to ada's home", "cancel parcel", "unpack", "release");
    }

    @Test
    void a_scenario_knows_the_children_of_its_saga() {
        SagaScenario.of(order(new Shop()))
                .with(parcel(new Warehouse()))
                .given(new Order("ada", List.of("book")))
                .when("invoice")
                .rejects("NO_MONEY")
                .then()
                .compensated("ship", "reserve");

        assertThat(done).endsWith("cancel parcel", "unpack", "release");
    }

    @Test
    void a_parcel_that_cannot_be_undone_is_picked_up() {
        refuses = true;
        Warehouse warehouse = new Warehouse();
        SagaDefinition<Parcel> decided = Saga.define(PARCEL)
                .pivot(TRACKING)
                .action(c -> warehouse.book(c.idempotencyKey(), c.input().address()))
                .build();

        SagaInstance order = run(orderWithPickUp(new Shop()), decided, "book");

        assertThat(order.status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(child()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(done).containsExactly("to ada", "pick up T-1");
    }
}
