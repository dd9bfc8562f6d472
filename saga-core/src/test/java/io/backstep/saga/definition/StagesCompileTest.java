package io.backstep.saga.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaType;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the compiler says to a user who forgets something, or nothing. */
class StagesCompileTest {
    /** As in the design, without the verbs that come later; the types that it names are in {@link #PARTICIPANTS}. */
    private static final String SAMPLE = """
            return Saga.define(TYPE)
                .step("create-order").transactional()
                    .action(c -> orders.create(c.sagaId(), c.input()))
                    .compensate(c -> orders.reject(c.sagaId()))
                .step(RESERVE)
                    .action(c -> inventory.reserve(c.idempotencyKey(), c.input().sku(), c.input().quantity()))
                    .compensate((c, reservation) -> inventory.release(c.idempotencyKey()))
                .step(PAY)
                    .action(c -> payments.charge(c.idempotencyKey(), c.input().amount()))
                    .probe(c -> payments.find(c.idempotencyKey()))
                    .compensate((c, payment) -> payments.refund(c.idempotencyKey()))
                    .retry(Retry.exponential(Duration.ofMillis(200)).maxAttempts(5).rejectOn(PaymentDeclined.class))
                    .timeout(Duration.ofSeconds(5))
                .pivot("confirm-order").transactional()
                    .action(c -> orders.confirm(c.sagaId()))
                .retriable("ship").action(c -> orders.ship(c.sagaId()))
                .bestEffort("send-confirmation").action(c -> mail.confirmation(c.sagaId(), c.result(PAY)))
                .deadline(Duration.ofMinutes(10))
                .build();
            """;

    private static final String PARTICIPANTS = """
            public static final SagaType<PlaceOrder> TYPE = SagaType.named("place-order", PlaceOrder.class);
            public static final Step<Reservation> RESERVE = Step.named("reserve-inventory", Reservation.class);
            public static final Step<Payment> PAY = Step.named("process-payment", Payment.class);
            public static final Step<List<String>> PICK = Step.named("pick", new TypeRef<List<String>>() {});

            public record PlaceOrder(String sku, int quantity, long amount) {}
            public record Reservation(String id) {}
            public record Payment(String id) {}
            public static final class PaymentDeclined extends Exception { private static final long serialVersionUID = 1L; }
            public interface Orders { UUID create(UUID id, PlaceOrder o); void reject(UUID id); void confirm(UUID id) throws IOException; void ship(UUID id); }
            public interface Inventory { Reservation reserve(String key, String sku, int n) throws IOException; boolean release(String key) throws IOException; }
            public interface Payments { Payment charge(String key, long amount) throws PaymentDeclined; void refund(String key); Optional<Payment> find(String key) throws IOException; }
            public interface Mail { void confirmation(UUID id, Payment payment) throws Exception; }
            """;

    @TempDir
    private Path classes;

    @Test
    void the_sample_compiles_without_a_warning() {
        assertThat(compiled(SAMPLE)).isEmpty();
    }

    @Test
    void no_verb_warns_at_its_call() {
        assertThat(compiled("""
                        return Saga.define(TYPE).version(2).strictCompensation()
                            .step(PICK).transactional().action(c -> { throw new IOException(); }).noCompensation("reads only")
                                .rejectOn(PaymentDeclined.class, IOException.class).rejectOn(Error.class)
                            .step("void").action(c -> { throw new Exception(); }).compensate(c -> {})
                                .compensationRetry(Retry.none().rejectOn(IOException.class, Error.class).retryOn(Exception.class))
                                .compensationTimeout(Duration.ofSeconds(1)).rejectOn(Error.class).retry(Retry.none())
                            .step(PAY).action(c -> null).compensate((c, paid) -> paid.map(Payment::id).orElseThrow())
                            .pivot(Step.named("p", String.class)).action(c -> c.result(PICK).get(0)).timeout(Duration.ofSeconds(1))
                            .retriable(Step.named("r", String.class)).action(c -> c.input().sku())
                            .bestEffort(Step.named("b", String.class)).action(StepContext::stepName).atMostOnce()
                            .build();
                        """)).isEmpty();
    }

    @Test
    void no_probe_needs_a_cast() {
        assertThat(compiled("""
                        return Saga.define(TYPE)
                            .step(PAY).action(c -> null)
                                .probeOutcome(c -> c.attempt() > 1 ? Probe.didNot() : Probe.tookEffect(new Payment("1")))
                                .compensate((c, paid) -> {})
                                .atMostOnce().rejectionIsDefinite().compensationTransactional(true).compensationRetry(Retry.none())
                            .step("void").action(c -> {})
                                .probeOutcome(c -> { if (c.isOwner()) { return Probe.tookEffect(); } throw new IOException(); })
                                .noCompensation("it only reads").rejectionIsDefinite().atMostOnce()
                            .step(PICK).action(c -> List.of()).probeOutcome(c -> Probe.tookEffect(List.of("a"))).noCompensation("reads")
                            .step("again").action(c -> {}).probeOutcome(c -> c.isOwner() ? Probe.tookEffect() : Probe.unknown()).compensate(c -> {})
                            .pivot(Step.named("p", String.class)).action(c -> "").probe(c -> Optional.of("a")).atMostOnce().retry(Retry.none())
                            .retriable(Step.named("r", String.class)).action(c -> "").probe(c -> Optional.empty())
                            .retriable(Step.named("o", String.class)).action(c -> "").probeOutcome(c -> Probe.unknown()).rejectionIsDefinite()
                            .retriable("q").action(c -> {}).probeOutcome(c -> Probe.didNot()).timeout(Duration.ofSeconds(1))
                            .bestEffort("b").action(c -> {})
                            .build();
                        """)).isEmpty();
    }

    @Test
    void tcc_needs_no_cast() {
        assertThat(compiled("""
                        SagaDefinition<PlaceOrder> pure = Tcc.define(TYPE)
                            .tcc(RESERVE)
                                .tryAction(c -> inventory.reserve(c.idempotencyKey(), c.input().sku(), c.input().quantity()))
                                .confirm((c, reservation) -> inventory.release(reservation.id()))
                                .cancel((c, reservation) -> inventory.release(c.idempotencyKey()))
                            .tcc("void").onlyIf(c -> c.input().quantity() > 1)
                                .tryAction(c -> { throw new IOException(); }).confirm(c -> { throw new Exception(); }).cancel(c -> {})
                            .deadline(Duration.ofMinutes(1))
                            .build();
                        return Saga.define(pure.type()).version(2)
                            .step("first").action(c -> {}).compensate(c -> {})
                            .tcc(PAY).after("first").tryAction(c -> null).probe(c -> payments.find(c.idempotencyKey()))
                                .confirm((c, paid) -> paid.id()).cancel((c, paid) -> paid.map(Payment::id).orElseThrow())
                                .confirmRetry(Retry.fixed(Duration.ofSeconds(1)).maxAttempts(3)).confirmTimeout(Duration.ofSeconds(5))
                                .retry(Retry.none()).timeout(Duration.ofSeconds(5)).rejectOn(PaymentDeclined.class).rejectionIsDefinite().atMostOnce()
                                .compensationRetry(Retry.none()).compensationTimeout(Duration.ofSeconds(5)).compensationTransactional(false)
                                .confirmRetry(Retry.none())
                            .tcc(PICK).afterStart().tryAction(c -> List.of()).probeOutcome(c -> Probe.tookEffect(List.of("a")))
                                .confirm((c, picked) -> {}).cancel((c, picked) -> {})
                            .tcc("asked").after(PAY, PICK).tryAction(c -> {}).probeOutcome(c -> Probe.didNot()).confirm(c -> {}).cancel(c -> {})
                            .pivot("p").action(c -> {})
                            .build();
                        """)).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            forgets the action            | .step("x").build()                                        | build
            forgets the action, goes on   | .step("x").step("y")                                      | step
            forgets a typed action        | .step(PAY).compensate((c, paid) -> {})                    | compensate
            forgets a transactional one   | .step("x").transactional().build()                        | build
            forgets a pivot's action      | .pivot("x").retriable("y")                                | retriable
            forgets a retriable's action  | .pivot("x").action(c -> {}).retriable("y").build()        | build
            forgets a best effort's       | .bestEffort("x").deadline(Duration.ZERO)                  | deadline
            forgets the compensation      | .step("x").action(c -> {}).build()                        | build
            forgets it and goes on        | .step("x").action(c -> {}).pivot("y")                     | pivot
            forgets a typed compensation  | .step(PAY).action(c -> null).build()                      | build
            tunes before it is complete   | .step("x").action(c -> {}).retry(Retry.none())            | retry
            gives no reason               | .step("x").action(c -> {}).noCompensation().build()       | noCompensation
            gives two actions             | .pivot("x").action(c -> {}).action(c -> {}).build()       | action
            compensates a pivot           | .pivot("x").action(c -> {}).compensate(c -> {}).build()   | compensate
            tunes no compensation         | .pivot("x").action(c -> {}).compensationRetry(Retry.none()).build() | compensationRetry
            tunes what it does not have   | .step("x").action(c -> {}).noCompensation("y").compensationTimeout(Duration.ZERO).build() | compensationTimeout
            tunes without a step          | .version(1).timeout(Duration.ZERO).build()                | timeout
            probes before the action      | .step(PAY).probe(c -> Optional.empty())                   | probe
            looks for nothing             | .step("x").action(c -> {}).probe(c -> Optional.empty())   | probe
            finds another result          | .step(PAY).action(c -> null).probe(c -> Optional.of(1))   | Integer
            finds a result of nothing     | .pivot("x").action(c -> {}).probeOutcome(c -> Probe.tookEffect("a")) | String
            probes a best effort          | .bestEffort("x").action(c -> {}).probeOutcome(c -> Probe.unknown()) | probeOutcome
            probes after the compensation | .step("x").action(c -> {}).compensate(c -> {}).probeOutcome(c -> Probe.unknown()) | probeOutcome
            forgets it after the probe    | .step(PAY).action(c -> null).probe(c -> Optional.empty()).build() | build
            probes a pivot twice          | .pivot("x").action(c -> {}).probeOutcome(c -> Probe.unknown()).probeOutcome(c -> Probe.unknown()) | probeOutcome
            tunes no compensation's place | .pivot("x").action(c -> {}).compensationTransactional(true) | compensationTransactional
            returns another result        | .pivot(PAY).action(c -> "paid").build()                   | String
            returns no result             | .pivot(PAY).action(c -> {}).build()                       | lambda
            forgets the try               | .tcc("x").build()                                         | build
            confirms before the try       | .tcc("x").confirm(c -> {})                                | confirm
            forgets the confirm           | .tcc(PAY).tryAction(c -> null).cancel((c, paid) -> {})    | cancel
            forgets the confirm, goes on  | .tcc("x").tryAction(c -> {}).step("y")                    | step
            forgets the cancel            | .tcc("x").tryAction(c -> {}).confirm(c -> {}).build()     | build
            tunes a try that is not whole | .tcc("x").tryAction(c -> {}).confirm(c -> {}).confirmRetry(Retry.none()) | confirmRetry
            tries in a transaction        | .tcc("x").transactional()                                 | transactional
            confirms what cannot be       | .step("x").action(c -> {}).compensate(c -> {}).confirmRetry(Retry.none()) | confirmRetry
            places it too late            | .tcc("x").tryAction(c -> {}).afterStart()                 | afterStart
            returns a void step's result  | .pivot("x").action(c -> "paid").build()                   | lambda body
            """)
    void does_not_compile_when_it(String what, String verbs, String shown) {
        assertThat(compiled("return Saga.define(TYPE)" + verbs + ";"))
                .contains(shown)
                .doesNotContain("WARNING");
    }

    /** Compiles a saga as a user would with all warnings on, and returns what the compiler says. */
    private String compiled(String body) {
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of(
                "-Xlint:all", "-Werror", "-proc:none", "--release", "17", "-d", classes.toString(), "-cp", classPath());
        boolean passed = compiler.getTask(null, null, said, options, null, List.of(source(body)))
                .call();
        String all =
                said.getDiagnostics().stream().map(StagesCompileTest::shown).collect(Collectors.joining("\n"));
        assertThat(passed).as(all).isEqualTo(all.isEmpty());
        return all;
    }

    private static String shown(Diagnostic<?> diagnostic) {
        return diagnostic.getKind() + ": " + diagnostic.getMessage(Locale.ENGLISH);
    }

    private static JavaFileObject source(String body) {
        String text = """
                package shop;
                import io.backstep.saga.*;
                import io.backstep.saga.definition.*;
                import java.io.IOException;
                import java.time.Duration;
                import java.util.List;
                import java.util.Optional;
                import java.util.UUID;
                public final class Shop {
                private Shop() {}
                public static SagaDefinition<PlaceOrder> definition(Orders orders, Inventory inventory, Payments payments, Mail mail) {
                %s}
                %s}
                """.formatted(body, PARTICIPANTS);
        return new SimpleJavaFileObject(URI.create("string:///shop/Shop.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    private static String classPath() {
        return Stream.of(SagaType.class, NullMarked.class)
                .map(StagesCompileTest::location)
                .collect(Collectors.joining(System.getProperty("path.separator")));
    }

    private static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
