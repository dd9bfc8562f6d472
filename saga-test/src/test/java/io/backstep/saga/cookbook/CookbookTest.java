package io.backstep.saga.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The code in the cookbook is code that is tested. */
class CookbookTest {
    private static final String REFRESH =
            "mvn -pl saga-test -am test -Dtest=CookbookTest -Dsurefire.failIfNoSpecifiedTests=false -Dsaga.docs.refresh=true";

    static Stream<Path> pages() {
        return Cookbook.pages().stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void the_code_of_the_page_is_that_of_its_test(Path page) throws IOException {
        String fresh = Cookbook.refreshed(page);
        if (Boolean.getBoolean("saga.docs.refresh")) {
            Files.writeString(page, fresh);
        }

        assertThat(Cookbook.read(page))
                .as(page + " is stale; to refresh it: " + REFRESH)
                .isEqualTo(fresh);
    }
}
