package io.backstep.saga.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an IDE is told about the properties. */
class MetadataTest {
    private final List<JsonNode> properties = read();

    @Test
    void every_property_is_described() {
        assertThat(properties)
                .allSatisfy(property ->
                        assertThat(property.path("description").asString("")).endsWith("."));
    }

    @Test
    void exactly_the_described_properties_are_known() {
        assertThat(properties.stream().map(property -> property.path("name").asString()))
                .containsExactlyInAnyOrderElementsOf(PropertyNames.known());
    }

    @Test
    void the_page_lists_every_property() throws IOException {
        List<String> page = Files.readAllLines(Path.of("../docs/spring-boot.md"));

        assertThat(page.stream().filter(line -> line.startsWith("| `saga.") && line.endsWith(". |")))
                .containsExactlyElementsOf(
                        properties.stream().map(MetadataTest::row).sorted().toList());
    }

    private static String row(JsonNode property) {
        JsonNode given = property.path("defaultValue");
        String value = given.isArray()
                ? given.valueStream().map(JsonNode::asString).collect(Collectors.joining(", "))
                : given.asString("");
        return "| `" + property.path("name").asString() + "` | " + value + " | "
                + property.path("description").asString() + " |";
    }

    private static List<JsonNode> read() {
        try (InputStream metadata =
                SagaProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            JsonNode all = JsonMapper.shared().readTree(metadata).path("properties");
            return StreamSupport.stream(all.spliterator(), false)
                    .filter(property -> property.path("name").asString().startsWith("saga."))
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
