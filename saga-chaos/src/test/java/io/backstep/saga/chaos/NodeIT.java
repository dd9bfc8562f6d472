package io.backstep.saga.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.backstep.saga.testsupport.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeIT {
    private final TestPostgres.Db database = TestPostgres.fresh();
    private final TestPostgres.Db far = TestPostgres.fresh();

    @TempDir
    private Path folder;

    @Test
    void a_node_runs_every_shape_and_all_checks_hold_also_after_a_kill() throws Exception {
        ChaosTables.create(database, far);
        try (NodeProcess first = node("first")) {
            assertThat(first.await("READY", 60)).isNotNull();
            List<String> refused = new ArrayList<>();
            for (String shape : Shapes.ALL) {
                first.tell("start " + shape + " " + shape + "-1");
                String answer = first.await("", 60);
                if (answer == null || !answer.startsWith("STARTED")) {
                    refused.add(shape + ": " + answer);
                }
            }
            assertThat(refused).isEmpty();
        } // killed
        try (NodeProcess second = node("second")) {
            assertThat(second.await("READY", 60)).isNotNull();
            second.tell("start " + Shapes.ANSWERED + " " + Shapes.ANSWERED + "-1"); // and answers it
            await().atMost(Duration.ofSeconds(60)).until(() -> count("status in ('RUNNING', 'COMPENSATING')") == 0);
            second.terminate();
            assertThat(second.awaitEnd(60)).isTrue();
        }
        assertThat(count("parent_id is null")).isEqualTo(Shapes.ALL.size());
        assertThat(count("status = 'FAILED'")).isEqualTo(1); // undo-stuck

        assertThat(new Checker(database, far, folder, Cluster.PURGED_AFTER).run())
                .hasSizeGreaterThan(25)
                .allMatch(CheckResult::holds);
    }

    @Test
    void sagas_wait_for_a_node_that_knows_their_version_and_all_checks_hold_after_deploys() throws Exception {
        ChaosTables.create(database, far);
        List<String> refused = new ArrayList<>();
        for (Release release : List.of(Release.V1, Release.V2, Release.V1_V2)) {
            try (NodeProcess node = node("n1" + release.suffix(), release)) {
                assertThat(node.await("READY", 60)).isNotNull();
                for (int i = 0; i < 48; i++) {
                    node.tell("start " + Deployed.SHAPE + " n1" + release.suffix() + "-1-" + i);
                    String answer = node.await("", 60);
                    if (answer == null || !answer.startsWith("STARTED")) {
                        refused.add(answer + " from " + release);
                    }
                }
                if (release == Release.V1_V2) {
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> count("status in ('RUNNING', 'COMPENSATING')") == 0);
                }
                node.terminate();
                assertThat(node.awaitEnd(60)).isTrue();
            }
        }
        assertThat(refused).isEmpty();
        assertThat(count("status in ('COMPLETED', 'COMPENSATED')")).isEqualTo(3 * 48);

        assertThat(new Checker(database, far, folder, Cluster.PURGED_AFTER).run())
                .allMatch(CheckResult::holds);
    }

    private NodeProcess node(String name) throws Exception {
        return node(name, Release.NONE);
    }

    private NodeProcess node(String name, Release release) throws Exception {
        NodeOptions options = NodeOptions.defaults()
                .with("release", release)
                .with("deployed-wait-millis", 500)
                .with("url", database.url())
                .with("far-url", far.url())
                .with("node", name)
                .with("file", name)
                .with("folder", folder);
        return NodeProcess.start(Node.class, options, List.of(), Map.of());
    }

    private long count(String condition) throws Exception {
        try (Connection connection = database.connect()) {
            return Sql.number(connection, "select count(*) from saga_instance where " + condition);
        }
    }
}
