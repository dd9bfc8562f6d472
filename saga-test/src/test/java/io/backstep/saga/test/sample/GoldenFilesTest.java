package io.backstep.saga.test.sample;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.SagaType;
import io.backstep.saga.Step;
import io.backstep.saga.TypeRef;
import io.backstep.saga.definition.Saga;
import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.definition.SagaStage;
import io.backstep.saga.test.GoldenFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GoldenFilesTest {
    private static final SagaType<String> TYPE = SagaType.named("trip", String.class);

    private final String given = System.getProperty(GoldenFiles.UPDATE, "false");

    @TempDir
    private Path folder;

    @BeforeEach
    void nothing_is_written() {
        System.setProperty(GoldenFiles.UPDATE, "false");
    }

    @AfterEach
    void as_before() {
        System.setProperty(GoldenFiles.UPDATE, given);
    }

    /** A saga of steps that do nothing. */
    private static SagaDefinition<String> saga(int version, String... steps) {
        SagaStage<String> saga = Saga.define(TYPE).version(version);
        for (String step : steps) {
            saga.step(step).action(c -> {}).noCompensation("a test");
        }
        return saga.build();
    }

    private static void updating(Runnable check) {
        System.setProperty(GoldenFiles.UPDATE, "true");
        try {
            check.run();
        } finally {
            System.setProperty(GoldenFiles.UPDATE, "false");
        }
    }

    private static void fails(Runnable check, String... messages) {
        assertThatThrownBy(check::run).isInstanceOf(AssertionError.class).hasMessageContainingAll(messages);
    }

    @Test
    void a_diagram_is_written_when_asked_for_and_then_kept() throws IOException {
        Path file = folder.resolve("docs/trip.md");
        SagaDefinition<String> trip = saga(1, "flight", "hotel");
        fails(() -> GoldenFiles.diagram(file, trip), "trip.md is not there", "-Dsaga.golden.update=true");
        updating(() -> GoldenFiles.diagram(file, trip));
        GoldenFiles.diagram(file, trip);
        assertThat(file).hasContent("# trip v1\n\n```mermaid\n" + trip.diagram() + "```\n");

        Files.writeString(file, Files.readString(file).replace("\n", "\r\n")); // as a checkout on Windows may have it
        GoldenFiles.diagram(file, trip);

        fails(
                () -> GoldenFiles.diagram(file, saga(1, "flight", "car")),
                "trip.md is stale",
                "-     s1[\"hotel<br/>no compensation\"]",
                "+     s1[\"car<br/>no compensation\"]");
    }

    @Test
    void a_diagram_outside_of_markdown_is_only_that() {
        Path file = folder.resolve("trip.mmd");
        SagaDefinition<String> trip = saga(1, "flight");
        updating(() -> GoldenFiles.diagram(file, trip));
        assertThat(file).hasContent(trip.diagram());
    }

    @Test
    void a_description_is_json() {
        Path file = folder.resolve("trip.json");
        SagaDefinition<String> trip = saga(1, "flight");
        updating(() -> GoldenFiles.description(file, trip));
        GoldenFiles.description(file, trip);
        assertThat(file).hasContent(trip.describe().json());
        fails(() -> GoldenFiles.description(file, saga(2, "flight")), "+   \"version\": 2,");
    }

    @Test
    void versions_are_added_and_then_must_stay_as_they_are() throws IOException {
        Path file = folder.resolve("sagas.txt");
        SagaDefinition<String> one = saga(1, "flight", "hotel");
        SagaDefinition<String> two = saga(2, "flight", "car", "hotel");
        fails(() -> GoldenFiles.compatible(file, one), "is not there");
        updating(() -> GoldenFiles.compatible(file, one));
        GoldenFiles.compatible(file, one);
        assertThat(Files.readString(file)).endsWith("""

                trip v1
                  flight COMPENSATABLE
                  hotel COMPENSATABLE after flight
                  : (input) String
                """);

        fails(() -> GoldenFiles.compatible(file, two, one), "is stale", "+ trip v2");
        updating(() -> GoldenFiles.compatible(file, two, one));
        GoldenFiles.compatible(file, one, two);
    }

    @Test
    void changes_that_strand_instances_are_named_and_never_written() throws IOException { // F099
        Path file = folder.resolve("sagas.txt");
        SagaDefinition<String> one = saga(1, "flight", "hotel");
        SagaDefinition<String> two = saga(2, "flight", "car", "hotel");
        updating(() -> GoldenFiles.compatible(file, one, two));
        String kept = Files.readString(file);

        updating(() -> fails(
                () -> GoldenFiles.compatible(file, saga(1, "hotel"), two),
                "instances in flight would be stranded",
                "trip v1 was changed, and nodes would refuse to start: flight was removed",
                "hotel was changed from COMPENSATABLE after flight to COMPENSATABLE",
                "Give changed steps and data a new version"));
        updating(() -> fails(
                () -> GoldenFiles.compatible(file, two),
                "trip v1 is not registered any more: its instances would wait until a node knows it again"));
        assertThat(file).content().isEqualTo(kept);
    }

    record Line(String sku, int amount) {}

    enum Size {
        SMALL,
        LARGE
    }

    sealed interface Paid {}

    record ByCard(String last) implements Paid {}

    record ByBill(List<Line> lines, Optional<Size> size) implements Paid {}

    record MoreLine(String sku, Integer amount, Instant added) {}

    record OtherLine(String article, int amount) {}

    record LongLine(String sku, String amount) {}

    private static SagaDefinition<String> resulting(Step<?> step) {
        return Saga.define(SagaType.named("trip", String.class))
                .step(step)
                .action(c -> null)
                .noCompensation("nothing")
                .build();
    }

    @Test
    void what_is_stored_is_in_the_file() throws IOException {
        Path file = folder.resolve("sagas.txt");
        updating(() ->
                GoldenFiles.compatible(file, resulting(Step.named("pay", new TypeRef<Map<String, List<Paid>>>() {}))));
        assertThat(file).content().endsWith("""
                  pay COMPENSATABLE result
                  : (input) String
                  : pay{}[](ByBill) {}
                  : pay{}[](ByBill).lines[] {}
                  : pay{}[](ByBill).lines[].amount Integer
                  : pay{}[](ByBill).lines[].sku String
                  : pay{}[](ByBill).size = LARGE
                  : pay{}[](ByBill).size = SMALL
                  : pay{}[](ByCard) {}
                  : pay{}[](ByCard).last String
                """);
    }

    @Test
    void a_changed_type_of_a_result_strands_and_more_data_does_not() throws IOException { // F099, F100
        Path file = folder.resolve("sagas.txt");
        updating(() -> GoldenFiles.compatible(file, resulting(Step.named("pay", Line.class))));

        updating(
                () -> fails(
                        () -> GoldenFiles.compatible(file, resulting(Step.named("pay", OtherLine.class))),
                        "trip v1 reads other data than is stored: there was \"pay.sku String\", and nothing is read from there now"));
        updating(() -> fails(
                () -> GoldenFiles.compatible(file, resulting(Step.named("pay", LongLine.class))),
                "there was \"pay.amount Integer\", and now there is [pay.amount String]"));
        updating(() -> fails(
                () -> GoldenFiles.compatible(file, resulting(Step.named("pay", String.class))),
                "there was \"pay {}\", and now there is [pay String]"));
        fails(
                () -> GoldenFiles.compatible(file, resulting(Step.named("pay", MoreLine.class))),
                "is stale",
                "added Instant");
        updating(() -> GoldenFiles.compatible(file, resulting(Step.named("pay", MoreLine.class))));
    }

    @Test
    void a_file_without_data_is_completed() throws IOException {
        Path file = folder.resolve("sagas.txt");
        updating(() -> GoldenFiles.compatible(file, resulting(Step.named("pay", Line.class))));
        String complete = Files.readString(file);
        Files.writeString(
                file, complete.lines().filter(line -> !line.startsWith("  : ")).collect(joining("\n", "", "\n")));
        updating(() -> GoldenFiles.compatible(file, resulting(Step.named("pay", Line.class))));
        assertThat(file).content().isEqualTo(complete);
    }

    @Test
    void a_version_whose_lines_were_deleted_may_go() throws IOException {
        Path file = folder.resolve("sagas.txt");
        SagaDefinition<String> two = saga(2, "flight");
        updating(() -> GoldenFiles.compatible(file, saga(1, "hotel"), two));
        Files.writeString(
                file, Files.readString(file).replace("\ntrip v1\n  hotel COMPENSATABLE\n  : (input) String\n", ""));
        GoldenFiles.compatible(file, two);
    }

    @Test
    void a_file_that_is_something_else_is_refused() throws IOException {
        Path file = folder.resolve("sagas.txt");
        Files.writeString(file, "<<<<<<< HEAD\n");
        assertThatThrownBy(() -> GoldenFiles.compatible(file, saga(1, "flight")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("<<<<<<< HEAD");
    }
}
