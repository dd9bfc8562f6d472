package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.engine.SagaEngine;
import io.backstep.saga.engine.SagaEngineBuilder;
import io.backstep.saga.engine.SagaInstance;
import io.backstep.saga.engine.StartOptions;
import io.backstep.saga.serialization.AesGcmCodec;
import io.backstep.saga.serialization.Payloads;
import io.backstep.saga.store.InMemorySagaStore;
import io.backstep.saga.store.SagaStore;
import io.backstep.saga.store.Transactions;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The code of docs/cookbook/encryption.md, and that it does what the page says. */
class EncryptionPageTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String ONE = "b25lLWtleS10aGF0LWlzLW5vLXNlY3JldC1pbi10ZXM=";
    private static final String TWO = "dHdvLWtleS10aGF0LWlzLW5vLXNlY3JldC1pbi10ZXM=";

    record Order(String customer, String card) {}

    record Payment(String id) {}

    static final SagaType<Order> PAY_ORDER = SagaType.named("pay-order", Order.class);
    static final Step<Payment> PAY = Step.named("pay", Payment.class);

    static SagaEngineBuilder encrypting(SagaStore store, Transactions transactions, Secrets secrets) {
        return SagaEngine.builder()
                .store(store)
                .transactions(transactions)
                .payloadCodec(AesGcmCodec.of("2026-11", secrets.read("saga-key-2026-11"))); // 32 bytes as Base64
    }

    /** Where secrets are kept. */
    interface Secrets {
        String read(String name);
    }

    static AesGcmCodec deployment(int number, String first, String second) {
        return switch (number) {
            case 1 -> AesGcmCodec.of("2026-11", first).writesPlain(); // reads both, writes as before
            case 2 -> AesGcmCodec.of("2026-11", first).andReadsPlain(); // writes encrypted
            case 3 -> AesGcmCodec.of("2026-11", first); // no plain text is left
            case 4 -> AesGcmCodec.of("2026-11", first).andReads("2027-11", second); // knows the next key
            case 5 -> AesGcmCodec.of("2027-11", second).andReads("2026-11", first); // uses it
            default -> AesGcmCodec.of("2027-11", second); // nothing needs the old one
        };
    }

    private final InMemorySagaStore store = new InMemorySagaStore();

    private static SagaDefinition<Order> definition() {
        return Saga.define(PAY_ORDER)
                .step(PAY)
                .action(c -> new Payment("paid by " + c.input().card()))
                .compensate((c, payment) -> {})
                .build();
    }

    private static SagaEngine started(SagaEngineBuilder builder) {
        SagaEngine engine = builder.build();
        engine.register(definition());
        engine.start();
        return engine;
    }

    private SagaEngine started(AesGcmCodec codec) {
        return started(SagaEngine.builder()
                .store(store)
                .transactions(store.transactions())
                .payloadCodec(codec));
    }

    private static SagaInstance run(SagaEngine engine, String key) {
        UUID id = engine.client()
                .start(PAY_ORDER, new Order("Ann", "4111"), StartOptions.businessKey(key))
                .sagaId();
        return engine.client().await(id, LONG);
    }

    @Test
    void what_is_stored_says_nothing() {
        try (SagaEngine engine = started(encrypting(store, store.transactions(), name -> ONE))) {
            SagaInstance saga = run(engine, "order-1");

            assertThat(saga.result(PAY)).contains(new Payment("paid by 4111"));
            String input = store.find(saga.sagaId()).orElseThrow().input();
            assertThat(input).startsWith("~2026-11:").doesNotContain("4111");
            assertThat(store.history(saga.sagaId()).toString()).doesNotContain("4111");
            SagaAdmin admin = SagaAdmin.of(engine);
            assertThat(admin.decoded(
                                    admin.find(saga.sagaId()).orElseThrow(),
                                    AdminRequest.by("ann", "the customer asked"))
                            .row()
                            .input())
                    .contains("4111");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void each_deployment_reads_what_the_one_before_wrote(int number) {
        String key = "order of " + number;
        boolean nothingOlderIsLeft = number == 3 || number == 6;
        AesGcmCodec now = deployment(number, ONE, TWO);
        UUID id;
        try (SagaEngine before = number == 1
                ? started(SagaEngine.builder().store(store).transactions(store.transactions()))
                : started(nothingOlderIsLeft ? now : deployment(number - 1, ONE, TWO))) {
            id = run(before, key).sagaId();
        }
        try (SagaEngine after = started(now)) {
            assertThat(run(after, key).sagaId()).as("the same input").isEqualTo(id);
            assertThat(after.client().find(id).orElseThrow().result(PAY)).isPresent();
            UUID next = run(after, "next").sagaId();
            assertThat(Payloads.keyId(store.find(next).orElseThrow().input()))
                    .isEqualTo(number == 1 ? null : number < 5 ? "2026-11" : "2027-11");
        }
    }
}
