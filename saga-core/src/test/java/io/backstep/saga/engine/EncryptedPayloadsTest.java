package io.backstep.saga.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaSerializationException;
import io.backstep.saga.SagaStartException;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.Step;
import io.backstep.saga.StepRejectedException;
import io.backstep.saga.admin.AdminRequest;
import io.backstep.saga.admin.SagaAdmin;
import io.backstep.saga.admin.SagaDetail;
import io.backstep.saga.definition.Retry;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.AesGcmCodec;
import io.backstep.saga.serialization.PayloadCodec;
import io.backstep.saga.serialization.PayloadField;
import io.backstep.saga.store.InstanceRow;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EncryptedPayloadsTest extends EngineFixture {
    private static final String SECRET = "4111-1111-1111-1111";
    private static final AesGcmCodec K1 = AesGcmCodec.of("k1", key(1));
    private static final AesGcmCodec K2 = AesGcmCodec.of("k2", key(2));
    private static final StartOptions KEYED = StartOptions.businessKey("order-1");

    private static String key(int seed) {
        byte[] bytes = new byte[32];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (seed * 31 + i);
        }
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Turns in the third step; its data goes through all columns that there are. */
    private SagaDefinition<Input> turning() {
        return define().step(FIRST)
                .action(c -> new Answer("result " + SECRET))
                .compensate((c, answer) -> {
                    calls.add("undo " + answer.orElseThrow().text());
                    call("undo", 1, "undo says " + SECRET);
                })
                .step("second")
                .action(c -> call(c.idempotencyKey(), 1, c.input().text() + " of " + c.result(FIRST)))
                .compensate(c -> calls.add("undo second"))
                .retry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(3))
                .step("third")
                .action(c -> {
                    throw new StepRejectedException(
                            "NO", "not with " + c.input().text());
                })
                .compensate(c -> calls.add("undo third"))
                .build();
    }

    private void call(String name, int failing, String message) throws IOException {
        try {
            call(name, failing);
        } catch (IOException e) {
            throw new IOException(message, e);
        }
    }

    private UUID start(TestNode node, StartOptions options) {
        return node.client().start(TYPE, new Input("input " + SECRET), options).sagaId();
    }

    @Test
    void nothing_is_stored_or_logged_in_the_clear() {
        try (Logs logs = new Logs()) {
            TestNode node = encrypting(K1, turning());
            UUID id = start(node, KEYED);

            assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);

            String stored = row(id) + "\n" + memory.history(id) + "\n" + memory.compensations(id);
            assertThat(calls).contains("undo result " + SECRET);
            assertThat(stored).doesNotContain(SECRET).doesNotContain("result ").contains("~k1:");
            assertThat(logs.warnings())
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line).doesNotContain(SECRET));
            assertThat(SagaAdmin.of(node.engine).find(id).orElseThrow().toString())
                    .doesNotContain(SECRET);
        }
    }

    @Test
    void another_node_that_has_the_key_goes_on() {
        TestNode first = encrypting(K1, turning());
        UUID id = start(first, KEYED);
        time.run(Duration.ofSeconds(1));
        first.kill();

        TestNode second = encrypting(K2.andReads("k1", key(1)), turning());

        assertThat(end(second, id).result(FIRST)).contains(new Answer("result " + SECRET));
        assertThat(memory.history(id).toString()).contains("~k1:").contains("~k2:");
        assertThat(calls).contains("undo result " + SECRET);
    }

    @Test
    void without_its_key_a_saga_is_parked_as_it_is_and_goes_on_when_the_key_is_back() { // C12
        TestNode first = encrypting(K1, turning());
        UUID id = start(first, KEYED);
        time.run(Duration.ofSeconds(1));
        first.kill();
        InstanceRow before = row(id);

        TestNode stranger = encrypting(K2, turning());
        time.run(Duration.ofMinutes(2));

        checkParked(stranger, before, "by the key k1");
        stranger.kill();
        TestNode again = encrypting(K1, turning());
        SagaAdmin.of(again.engine).retry(id, AdminRequest.by("ann", "the key is back"));
        assertThat(end(again, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(row(id).input()).isEqualTo(before.input());
    }

    private void checkParked(TestNode node, InstanceRow before, String why) {
        InstanceRow now = row(before.sagaId());
        assertThat(now.status()).isEqualTo(SagaStatus.FAILED);
        assertThat(now.reason()).isEqualTo(SagaReason.UNREADABLE);
        assertThat(now.input()).isEqualTo(before.input());
        assertThat(now.steps()).isEqualTo(before.steps());
        assertThat(node.alerts)
                .singleElement()
                .satisfies(alert -> assertThat(alert.message()).contains(why));
        assertThat(memory.history(before.sagaId()))
                .last()
                .satisfies(line -> assertThat(line.entry().errorCode()).isEqualTo("SAGA-SER-007"));
    }

    @Test
    void a_node_without_a_codec_parks_what_is_encoded() {
        TestNode first = encrypting(K1, turning());
        UUID id = start(first, KEYED);
        time.run(Duration.ofSeconds(1));
        first.kill();
        InstanceRow before = row(id);

        TestNode plain = node(turning());
        time.run(Duration.ofMinutes(2));

        checkParked(plain, before, "has no codec");
    }

    @ParameterizedTest
    @ValueSource(strings = {"flipped", "cut", "empty", "of another saga", "of another field", "plain"})
    void what_was_changed_or_moved_is_not_read(String how) { // X1
        TestNode node = encrypting(K1, turning());
        UUID other = start(node, StartOptions.none());
        UUID id = start(node, KEYED);
        time.run(Duration.ofSeconds(1));
        String input = row(id).input();
        String changed = switch (how) {
            case "flipped" -> input.substring(0, 60) + (input.charAt(60) == 'A' ? 'B' : 'A') + input.substring(61);
            case "cut" -> input.substring(0, input.length() - 4);
            case "empty" -> "~k1:";
            case "of another saga" -> row(other).input();
            case "of another field" ->
                String.valueOf(memory.history(id).get(0).entry().result());
            default -> "{\"text\":\"forged\"}";
        };
        memory.edit(id, row -> UnreadableTest.with(row, row.steps(), changed, row.format()));
        InstanceRow before = row(id);

        time.run(Duration.ofMinutes(2));

        checkParked(node, before, how.equals("plain") ? "is not encoded" : "by the key k1");
        assertThat(row(other).status()).isEqualTo(SagaStatus.COMPENSATED);
    }

    @Test
    void a_key_finds_its_saga_by_the_hash_that_any_key_in_use_gives() {
        List<TestNode> nodes = List.of(
                node(turning()),
                encrypting(K1.writesPlain(), turning()),
                encrypting(K1.andReadsPlain(), turning()),
                encrypting(K2.andReads("k1", key(1)).andReadsPlain(), turning()));
        for (TestNode early : nodes) {
            StartOptions options = StartOptions.businessKey("key " + nodes.indexOf(early));
            UUID id = start(early, options);
            int next = Math.min(nodes.indexOf(early) + 1, nodes.size() - 1);
            TestNode late = nodes.get(next);
            assertThat(start(late, options)).isEqualTo(id);
            assertThatThrownBy(() -> late.client().start(TYPE, new Input("another"), options))
                    .isInstanceOfSatisfying(
                            SagaStartException.class, e -> assertThat(e.code()).isEqualTo("SAGA-START-002"))
                    .hasMessageNotContaining("another input " + SECRET);
        }
    }

    @Test
    void a_hash_tells_nothing_to_who_can_guess_the_input() {
        TestNode plain = node(turning());
        TestNode one = encrypting(K1.andReadsPlain(), turning());
        TestNode two = encrypting(K2.andReadsPlain(), turning());
        assertThat(List.of(
                        row(start(plain, StartOptions.none())).inputHash(),
                        row(start(one, StartOptions.none())).inputHash(),
                        row(start(two, StartOptions.none())).inputHash()))
                .doesNotHaveDuplicates()
                .allMatch(hash -> hash.length() == 64);
    }

    private static final Step<Answer> TOLD = Step.named("told", Answer.class);

    @Test
    void signals_are_encoded_too() {
        try (Logs logs = new Logs()) {
            SagaDefinition<Input> definition = define().step("first")
                    .action(c -> call(c.idempotencyKey(), 1, "away"))
                    .compensate(c -> calls.add("undone"))
                    .retry(Retry.fixed(Duration.ofMinutes(1)).maxAttempts(3))
                    .awaitSignal(TOLD, Duration.ofHours(1))
                    .awaitSignal(Step.named("told-again", Answer.class), Duration.ofHours(1))
                    .build();
            TestNode node = encrypting(K1, definition);
            UUID id = start(node, KEYED);
            time.run(Duration.ofSeconds(1));
            node.client().signal(id, TOLD, new Answer("answer " + SECRET), "one");
            assertThat(memory.inspect(id).orElseThrow().toString())
                    .contains("~k1:")
                    .doesNotContain(SECRET);
            time.run(Duration.ofMinutes(2));
            node.client().signalRejected(id, Step.named("told-again", Answer.class), "NO", "not with " + SECRET, "two");

            assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);

            assertThat(node.client().find(id).orElseThrow().result(TOLD)).contains(new Answer("answer " + SECRET));
            String stored = row(id) + "\n" + memory.history(id) + "\n" + memory.compensations(id);
            assertThat(stored).doesNotContain(SECRET);
            SagaAdmin admin = SagaAdmin.of(node.engine);
            assertThat(admin.decoded(admin.find(id).orElseThrow(), AdminRequest.by("ann", "a test"))
                            .toString())
                    .contains("not with " + SECRET);
            SagaDetail detail = admin.find(id).orElseThrow();
            assertThatThrownBy(() -> memory.transactions()
                            .inTransaction(() -> admin.decoded(detail, AdminRequest.by("ann", "a test"))))
                    .as("nobody could see it without a row in the audit: a rollback would take that away")
                    .hasMessageStartingWith("SAGA-ADMIN-008");
            assertThat(logs.warnings()).allSatisfy(line -> assertThat(line).doesNotContain(SECRET));
        }
    }

    /** As when a service for keys is away. */
    private static PayloadCodec failing(UnaryOperator<PayloadField.Kind> guard) {
        return new PayloadCodec() {
            @Override
            public Encoded encode(PayloadField field, byte[] plain) {
                guard.apply(field.kind());
                return new Encoded("x", plain);
            }

            @Override
            public byte[] decode(PayloadField field, Encoded encoded) {
                return encoded.bytes();
            }

            @Override
            public boolean readsPlain(PayloadField field) {
                return true;
            }

            @Override
            public List<byte[]> hashes(byte[] canonical) {
                return List.of(new byte[32]);
            }
        };
    }

    @Test
    void a_codec_that_fails_refuses_the_start() {
        TestNode node = encrypting(
                failing(kind -> {
                    throw new IllegalStateException(SECRET);
                }),
                turning());
        assertThatThrownBy(() -> start(node, KEYED))
                .isInstanceOfSatisfying(
                        SagaSerializationException.class,
                        e -> assertThat(e.code()).isEqualTo("SAGA-SER-008"))
                .hasMessageNotContaining(SECRET);
        assertThat(node.client().find(TYPE, "order-1")).isEmpty();
    }

    @Test
    void a_codec_that_fails_for_a_result_costs_an_attempt_and_one_that_fails_for_an_error_costs_its_text() {
        int[] left = {1};
        TestNode node = encrypting(
                failing(kind -> {
                    boolean fails =
                            kind == PayloadField.Kind.ERROR || kind == PayloadField.Kind.RESULT && left[0]-- > 0;
                    if (fails) {
                        throw ListenersTest.unchecked(new GeneralSecurityException(SECRET));
                    }
                    return kind;
                }),
                turning());
        UUID id = start(node, KEYED);
        assertThat(end(node, id).status()).isEqualTo(SagaStatus.COMPENSATED);
        assertThat(history(id)).contains("first ACTION 1 FAILED", "first ACTION 2 SUCCEEDED");
        assertThat(memory.history(id).toString())
                .contains("(left out: SAGA-SER-008)")
                .doesNotContain(SECRET);
    }
}
