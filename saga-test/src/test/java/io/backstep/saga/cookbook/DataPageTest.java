package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonSubTypes.Type;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.TypeRef;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.store.InMemorySagaStore;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The code of docs/cookbook/data.md, and that it does what the page says. */
class DataPageTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    record Line(String sku, int quantity, BigDecimal price) {}

    record Order(String customer, List<Line> lines, LocalDate wanted, Optional<String> note) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({@Type(value = Card.class, name = "card"), @Type(value = Invoice.class, name = "invoice")})
    sealed interface Payment {}

    record Card(String last4, Instant at) implements Payment {}

    record Invoice(String number, Period due) implements Payment {}

    static final SagaType<Order> ORDER = SagaType.named("order", Order.class);
    static final Step<Map<String, List<Line>>> PICKED =
            Step.named("pick", new TypeRef<Map<String, List<Line>>>() {}); // by shelf
    static final Step<Payment> PAID = Step.named("pay", Payment.class);

    /** Says no to whoever is called Bob, but only after a while. */
    static final class Shop {
        final List<Object> seen = new CopyOnWriteArrayList<>();

        Map<String, List<Line>> pick(String key, List<Line> lines) {
            return Map.of("shelf 1", lines);
        }

        void putBack(String key, Map<String, List<Line>> picked) {
            seen.add(picked);
        }

        Payment pay(String key, String customer, Map<String, List<Line>> picked) {
            seen.add(picked.get("shelf 1").get(0).price());
            if (customer.equals("Bob")) {
                throw new StepRejectedException("NO", "no");
            }
            return customer.equals("Ann")
                    ? new Card("1111", Instant.parse("2026-11-30T12:00:00.123456789Z"))
                    : new Invoice("R-1", Period.ofDays(30));
        }

        void refund(String key, Optional<Payment> payment) {
            seen.add(payment);
        }
    }

    static SagaDefinition<Order> order(Shop shop) {
        return Saga.define(ORDER)
                .step(PICKED)
                .action(c -> shop.pick(c.idempotencyKey(), c.input().lines()))
                .compensate((c, picked) -> shop.putBack(c.idempotencyKey(), picked.orElse(Map.of())))
                .step(PAID)
                .action(c -> shop.pay(c.idempotencyKey(), c.input().customer(), c.result(PICKED)))
                .compensate((c, payment) -> shop.refund(c.idempotencyKey(), payment))
                .build();
    }

    private static final Line LINE = new Line("a", 2, new BigDecimal("1.10"));
    private final InMemorySagaStore store = new InMemorySagaStore();
    private final Shop shop = new Shop();

    private SagaEngine engine() {
        SagaEngine engine = SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .build();
        engine.register(order(shop));
        engine.start();
        return engine;
    }

    private static SagaInstance run(SagaEngine engine, String customer) {
        Order order = new Order(customer, List.of(LINE), LocalDate.of(2026, 12, 24), Optional.of("ring twice"));
        UUID id = engine.client().start(ORDER, order).sagaId();
        return engine.client().await(id, LONG);
    }

    @Test
    void everything_comes_back_as_what_it_was() {
        try (SagaEngine engine = engine()) {
            SagaInstance ann = run(engine, "Ann");
            assertThat(ann.result(PICKED).orElseThrow().get("shelf 1")).containsExactly(LINE);
            assertThat(ann.result(PAID)).contains(new Card("1111", Instant.parse("2026-11-30T12:00:00.123456789Z")));
            assertThat(run(engine, "Eve").result(PAID)).contains(new Invoice("R-1", Period.ofDays(30)));
            assertThat(store.history(ann.sagaId()).toString())
                    .contains("{\"kind\":\"card\",\"last4\":\"1111\"")
                    .doesNotContain("DataPageTest");
            assertThat(run(engine, "Bob").status()).isEqualTo(SagaStatus.COMPENSATED);
            assertThat(shop.seen).contains(new BigDecimal("1.10"), Map.of("shelf 1", List.of(LINE)));
        }
    }

    @Test
    void what_is_more_is_ignored_and_what_cannot_be_read_waits_as_it_is() {
        try (SagaEngine engine = engine()) {
            SagaInstance ann = run(engine, "Ann");
            String stored = store.find(ann.sagaId()).orElseThrow().input();
            assertThat(stored).contains("\"wanted\":\"2026-12-24\"").contains("\"note\":\"ring twice\"");
            assertThat(ann.reason()).isNotEqualTo(SagaReason.UNREADABLE);
        }
    }
}
