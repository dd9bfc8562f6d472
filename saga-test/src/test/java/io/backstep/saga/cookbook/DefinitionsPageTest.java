package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.StepDescription;
import io.backstep.saga.test.GoldenFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code of docs/cookbook/definitions.md, and that the page shows what it gives. */
class DefinitionsPageTest {
    record Order(String customer, int amount) {}

    record Receipt(String id) {}

    static final SagaType<Order> ORDER = SagaType.named("sold-order", Order.class);
    static final Step<Receipt> PAY = Step.named("pay", Receipt.class);

    /** Is never called. */
    static final class Shop {
        void reserve(String customer) {}

        void release(String customer) {}

        Receipt charge(String key, int amount) {
            return new Receipt(key + amount);
        }

        void ship(String key) {}
    }

    static SagaDefinition<Order> order(Shop shop) {
        return Saga.define(ORDER)
                .step("reserve")
                .transactional()
                .action(c -> shop.reserve(c.input().customer()))
                .compensate(c -> shop.release(c.input().customer()))
                .pivot(PAY)
                .action(c -> shop.charge(c.idempotencyKey(), c.input().amount()))
                .timeout(Duration.ofSeconds(5))
                .retriable("ship")
                .action(c -> shop.ship(c.idempotencyKey()))
                .build();
    }

    static List<String> slowerThan(Duration most, SagaDefinition<?> definition) {
        return definition.describe().steps().stream()
                .filter(step -> step.timeout().compareTo(most) > 0)
                .map(StepDescription::name)
                .toList();
    }

    @Test
    void what_the_saga_says_is_as_it_was_reviewed() {
        SagaDefinition<Order> definition = order(new Shop());
        GoldenFiles.diagram(Path.of("src/test/golden/sold-order.md"), definition);
        GoldenFiles.description(Path.of("src/test/golden/sold-order.json"), definition);
    }

    @Test
    void it_can_be_listed() {
        assertThat(slowerThan(Duration.ofSeconds(30), order(new Shop()))).containsExactly("reserve", "ship");
    }

    @Test
    void the_page_shows_its_drawing_and_its_json() {
        SagaDefinition<Order> definition = order(new Shop());

        assertThat(CookbookTest.block("definitions.md", "mermaid")).isEqualTo(definition.diagram());
        assertThat(definition.describe().json())
                .contains(CookbookTest.block("definitions.md", "json")
                        .stripTrailing()
                        .indent(4)
                        .stripTrailing());
    }
}
