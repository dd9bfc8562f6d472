package io.backstep.saga.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.simulation.Mutant.Edit;
import io.backstep.saga.simulation.Mutant.Found;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether the planted bugs can be planted; {@code bin/simulate --mutants} looks whether they are found. */
class MutantTest {
    private static final String REFRESH =
            "mvn -pl saga-test -am test -Dtest=MutantTest -Dsurefire.failIfNoSpecifiedTests=false -Dsaga.docs.refresh=true";

    @Test
    void every_mutant_still_fits_the_sources() {
        assertThat(Mutant.all()).hasSizeGreaterThanOrEqualTo(24).allSatisfy(mutant -> {
            assertThat(mutant.edits()).as(mutant.name()).isNotEmpty();
            assertThat(mutant.edits())
                    .as(mutant.name())
                    .noneMatch(edit -> edit.before().equals(edit.after()));
            assertThat(mutant.sources()).as(mutant.name()).isNotEmpty();
        });
    }

    @Test
    void every_mutant_has_been_found() {
        assertThat(Mutant.all())
                .as("bin/simulate --mutants --record")
                .extracting(Mutant::found)
                .doesNotContainNull();
    }

    @Test
    void the_page_shows_every_mutant() throws IOException {
        Path page = Mutant.root().resolve("docs/reliability.md");
        String text = MutantPage.refreshed(Files.readString(page), Mutant.all());
        if (Boolean.getBoolean("saga.docs.refresh")) {
            Files.writeString(page, text);
        }
        assertThat(Files.readString(page).equals(text))
                .as("docs/reliability.md is stale; to refresh it: " + REFRESH)
                .isTrue();
    }

    @Test
    void a_text_must_be_in_its_source_exactly_once() {
        Edit edit = new Edit("A.java", "b\n", "c\n");
        assertThat(edit.in("a\nb\n")).isEqualTo("a\nc\n");
        assertThatThrownBy(() -> edit.in("a\n")).hasMessageContaining("not in A.java any more");
        assertThatThrownBy(() -> edit.in("b\nb\n")).hasMessageContaining("more than once");
    }

    @Test
    void a_file_says_what_is_planted_what_it_does_and_how_it_was_found() {
        List<String> lines = List.of(
                "planted: no fence",
                "harm: all: lost",
                "found: at seed 3, in 4 of 2000 seeds, by I7",
                "",
                "in a/B.java",
                "<<<<",
                "old",
                "====",
                ">>>>");
        Mutant mutant = Mutant.parsed("none", lines);
        assertThat(mutant.planted()).isEqualTo("no fence");
        assertThat(mutant.harm()).isEqualTo("all: lost");
        assertThat(mutant.found())
                .isEqualTo(new Found(3, 4, 2000, "I7"))
                .hasToString("at seed 3, in 4 of 2000 seeds, by I7");
        assertThat(mutant.edits()).containsExactly(new Edit("a/B.java", "old\n", "\n"));
    }

    @Test
    void often_means_more_than_once_in_two_hundred_seeds() {
        assertThat(new Found(0, 11, 2000, "I1").inMoreThanOneOf(200)).isTrue();
        assertThat(new Found(0, 10, 2000, "I1").inMoreThanOneOf(200)).isFalse();
    }
}
