package io.backstep.saga.test.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaReason;
import io.backstep.saga.SagaStatus;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.test.CrashExplorer;
import io.backstep.saga.test.Effects;
import io.backstep.saga.test.GoldenFiles;
import io.backstep.saga.test.SagaScenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What docs/testing.md shows, compiled and run: each block of Java there is somewhere here, but for white space. */
class TestingPageTest {
    private static final Path PROJECT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern COMMENT = Pattern.compile("//[^\n]*");
    private static final List<String> SOURCES = List.of(
            "saga-test/src/test/java/io/backstep/saga/test/sample/TestingPageTest.java",
            "saga-test/src/test/java/io/backstep/saga/test/sample/OrderSaga.java",
            "saga-test/src/test/java/io/backstep/saga/test/sample/WaitsAndChildrenTest.java",
            "saga-jdbc-store/src/test/java/io/backstep/saga/jdbc/CrashExplorerIT.java");

    private final Calls participants = new Calls();
    private final SagaDefinition<PlaceOrder> definition = OrderSaga.definition(participants);

    @Test
    void each_block_of_the_page_is_run_by_a_test() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (String source : SOURCES) {
            sources.append(code(Files.readString(PROJECT.resolve(source))));
        }
        List<String> blocks = BLOCK.matcher(Files.readString(PROJECT.resolve("docs/testing.md")))
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
        assertThat(blocks).hasSize(11).allSatisfy(block -> assertThat(sources).contains(code(block)));
    }

    private static String code(String text) {
        return COMMENT.matcher(text).replaceAll("").replaceAll("\\s+", "");
    }

    @Test
    void a_scenario() {
        SagaScenario.of(OrderSaga.definition(participants))
                .given(new PlaceOrder("book", 12))
                .when(OrderSaga.PAY)
                .fails(2)
                .when("confirm")
                .rejects()
                .then()
                .compensated("pay", "reserve", "create")
                .hasReason(SagaReason.REJECTED)
                .hasAttempts("pay", 3);
    }

    @Test
    void somebody_does_something_meanwhile() {
        SagaScenario.of(OrderSaga.definition(participants))
                .given(new PlaceOrder("book", 12))
                .when("ship")
                .failsAlways()
                .at(Duration.ofHours(1), (sagas, id) -> sagas.cancel(id, "changed my mind"))
                .atMost(Duration.ofHours(2))
                .then()
                .hasStatus(SagaStatus.RUNNING)
                .hasInHistory("confirm #1 SUCCEEDED", "ship #1 FAILED", "ship #2 FAILED");
    }

    @Test
    void a_probe_says_what_it_knows() {
        ProbedSaga.Shop shop = new ProbedSaga.Shop(new Effects());
        SagaScenario.of(ProbedSaga.definition(shop))
                .given("in")
                .when("hand-over")
                .alwaysLosesReply()
                .whenProbing("hand-over")
                .doesNotKnow(4)
                .whenProbing("hand-over")
                .tookEffect()
                .then()
                .completed()
                .hasAttempts("hand-over", 3)
                .hasProbes("hand-over", 5);
    }

    class FakePayments {
        private final Effects effects;
        private final Set<String> charged = new HashSet<>();
        private final Set<String> refunded = new HashSet<>();

        FakePayments(Effects effects) {
            this.effects = effects;
        }

        void charge(String key) {
            if (!refunded.contains(key) && charged.add(key)) {
                effects.applied(key);
            }
        }

        void refund(String key) {
            if (refunded.add(key) && charged.contains(key)) {
                effects.undone(key);
            }
        }
    }

    @Test
    void the_explorer() {
        Effects effects = new Effects();
        CrashExplorer.of(OrderSaga.definition(new KeyedParticipants(effects)))
                .input(new PlaceOrder("book", 12))
                .effects(effects)
                .explore()
                .assertSound();
    }

    @TestFactory
    Stream<DynamicNode> stands_each_crash() {
        Effects effects = new Effects();
        return CrashExplorer.of(OrderSaga.definition(new KeyedParticipants(effects)))
                .input(new PlaceOrder("book", 12))
                .effects(effects)
                .tests();
    }

    @Test
    void a_fake_of_the_page_is_sound() {
        Effects effects = new Effects();
        FakePayments payments = new FakePayments(effects);
        CrashExplorer.of(OrderSaga.definition(new KeyedParticipants(effects) {
                    @Override
                    public Payment charge(String key, int amount) {
                        payments.charge(key);
                        return new Payment(key, amount);
                    }

                    @Override
                    public void refund(String key) {
                        payments.refund(key);
                    }
                }))
                .input(new PlaceOrder("book", 12))
                .effects(effects)
                .explore()
                .assertSound();
    }

    @Test
    void the_diagram_is_up_to_date() {
        GoldenFiles.diagram(Path.of("src/test/golden/place-order.md"), definition);
        GoldenFiles.description(Path.of("src/test/golden/place-order.json"), definition);
    }

    @Test
    void nothing_in_flight_is_stranded() {
        GoldenFiles.compatible(Path.of("src/test/golden/sagas.txt"), definition);
    }
}
