package io.backstep.saga.cookbook;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaMigration;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.InstanceSummary;
import io.backstep.saga.store.ListQuery;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The code of docs/cookbook/versions.md, and that it does what the page says. */
class VersionsPageTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    record OldOrder(String customer, int cents) {}

    record Order(String customer, BigDecimal amount) {}

    record Receipt(String number) {}

    static final SagaType<OldOrder> OLD_ORDER = SagaType.named("order", OldOrder.class);
    static final SagaType<Order> ORDER = SagaType.named("order", Order.class);
    static final Step<String> OLD_PAY = Step.named("pay", String.class);
    static final Step<Receipt> CHARGE = Step.named("charge", Receipt.class);

    /** Cannot send until it is mended. */
    static final class Shop {
        final List<String> done = new CopyOnWriteArrayList<>();
        final CountDownLatch tried = new CountDownLatch(1);
        volatile boolean mended;

        String charge(String key, BigDecimal amount) {
            done.add("charge " + amount);
            return "R-" + amount;
        }

        void refund(String key, String number) {
            done.add("refund " + number);
        }

        void fax(String customer) {
            done.add("fax");
        }

        void send(String key) {
            tried.countDown();
            if (!mended) {
                throw new IllegalStateException("nobody drives");
            }
            done.add("send");
        }

        void fetch(String key) {
            done.add("fetch");
        }

        void thank(String customer) {
            done.add("thank " + customer);
        }
    }

    static SagaDefinition<OldOrder> first(Shop shop) {
        return Saga.define(OLD_ORDER)
                .step(OLD_PAY)
                .action(c -> shop.charge(
                        c.idempotencyKey(), BigDecimal.valueOf(c.input().cents(), 2)))
                .compensate((c, number) -> shop.refund(c.idempotencyKey(), number.orElse("?")))
                .step("fax")
                .action(c -> shop.fax(c.input().customer()))
                .noCompensation("sent is sent")
                .step("send")
                .action(c -> shop.send(c.idempotencyKey()))
                .compensate(c -> shop.fetch(c.idempotencyKey()))
                .retry(Retry.fixed(Duration.ofMillis(100)).forever())
                .build();
    }

    static SagaDefinition<Order> second(Shop shop) {
        return Saga.define(ORDER)
                .version(2)
                .step(CHARGE) // has another name and result
                .action(c ->
                        new Receipt(shop.charge(c.idempotencyKey(), c.input().amount())))
                .compensate((c, receipt) -> shop.refund(
                        c.idempotencyKey(), receipt.map(Receipt::number).orElse("?")))
                .step("send")
                .action(c -> shop.send(c.idempotencyKey()))
                .compensate(c -> shop.fetch(c.idempotencyKey()))
                .retry(Retry.fixed(Duration.ofMillis(100)).forever())
                .step("thank")
                .action(c -> shop.thank(c.input().customer()))
                .noCompensation("sent is sent")
                .build(); // and nobody faxes any more
    }

    static SagaMigration migration(SagaDefinition<OldOrder> first, SagaDefinition<Order> second) {
        return SagaMigration.of(first, second)
                .input(old -> new Order(old.customer(), BigDecimal.valueOf(old.cents(), 2)))
                .result(OLD_PAY, CHARGE, Receipt::new)
                .withoutUndoing("fax")
                .build();
    }

    static Map<String, Long> foresee(SagaAdmin admin, List<InstanceSummary> sagas) {
        return sagas.stream()
                .map(saga -> admin.foreseeMigration(saga.sagaId()))
                .collect(groupingBy(answer -> answer.possible() ? "moves" : answer.why(), counting()));
    }

    private final InMemorySagaStore store = new InMemorySagaStore();
    private final Shop shop = new Shop();
    private final SagaDefinition<OldOrder> first = first(shop);
    private final SagaDefinition<Order> second = second(shop);

    private SagaEngine engine(SagaDefinition<?>... definitions) {
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .build();
        List.of(definitions).forEach(engine::register);
        return engine;
    }

    private UUID leftByTheFirst() throws InterruptedException {
        try (SagaEngine old = engine(first)) {
            old.start();
            UUID id = old.client().start(OLD_ORDER, new OldOrder("Ann", 1250)).sagaId();
            shop.tried.await();
            return id;
        }
    }

    @Test
    void an_instance_is_taken_along() throws InterruptedException {
        UUID id = leftByTheFirst();
        try (SagaEngine engine = engine(first, second)) {
            engine.register(migration(first, second));
            SagaAdmin admin = SagaAdmin.of(engine);
            engine.start();
            shop.mended = true;
            SagaInstance saga = engine.client().await(id, LONG);

            assertThat(saga.status()).isEqualTo(SagaStatus.COMPLETED);
            assertThat(saga.version()).isEqualTo(2);
            assertThat(saga.result(CHARGE)).contains(new Receipt("R-12.50"));
            assertThat(shop.done).containsExactly("charge 12.50", "fax", "send", "thank Ann");
            assertThat(foresee(admin, admin.list(ListQuery.of(Set.of(id))))).hasSize(1);
        }
    }

    @Test
    void without_a_migration_it_ends_as_it_began_and_who_does_not_know_it_leaves_it() throws InterruptedException {
        UUID id = leftByTheFirst();
        shop.mended = true;
        try (SagaEngine engine = engine(second)) {
            engine.start();
            assertThat(SagaAdmin.of(engine).unknownDefinitions())
                    .singleElement()
                    .satisfies(unknown -> {
                        assertThat(unknown.version()).isEqualTo(1);
                        assertThat(unknown.sagas()).isEqualTo(1);
                    });
        }
        try (SagaEngine engine = engine(first, second)) {
            engine.start();
            SagaInstance saga = engine.client().await(id, LONG);
            assertThat(saga.version()).isEqualTo(1);
            assertThat(shop.done).containsExactly("charge 12.50", "fax", "send");
        }
    }
}
