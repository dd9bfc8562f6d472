package io.backstep.saga.examples.order;

import static io.backstep.saga.examples.order.OrderApi.log;
import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.testsupport.TestPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Kills the whole service with -9, starts it again on the same database, and looks how the interrupted order ends. */
class KillIT {
    @TempDir
    Path folder;

    @Test
    void an_interrupted_order_completes_on_h2() throws IOException, InterruptedException {
        completes(h2());
    }

    @Test
    void an_interrupted_order_completes_on_postgres() throws IOException, InterruptedException {
        TestPostgres.Db db = TestPostgres.fresh();
        completes(List.of(
                "--spring.datasource.url=" + db.url(),
                "--spring.datasource.username=" + db.user(),
                "--spring.datasource.password=" + db.password()));
    }

    private void completes(List<String> database) throws IOException, InterruptedException {
        String id;
        String login;
        try (OrderProcess first = OrderProcess.start(folder.resolve("first.log"), database)) {
            login = first.awaitLogin();
            first.api().fault("payments", "HANG");
            id = first.api().place("ok").orderId();
            first.api().awaitStep(id, 2, "EXECUTING");
            first.kill();
        }
        try (OrderProcess second =
                OrderProcess.start(folder.resolve("second.log"), with(database, "--example.demo=true"))) {
            JsonNode order = second.api().awaitSaga(id, "COMPLETED");

            assertThat(log(order, "ACTION"))
                    .contains("process-payment TAKEN_OVER")
                    .containsOnlyOnce("create-order SUCCEEDED", "reserve-inventory SUCCEEDED")
                    .containsOnlyOnce("process-payment SUCCEEDED", "ship SUCCEEDED");
            assertThat(second.api().payment(id)).isEqualTo("CHARGED");
            assertThat(second.awaitOutput("== Up, on port"))
                    .contains("1 order(s) of an earlier run were interrupted", "order " + id + " is SHIPPED")
                    .contains("its saga COMPENSATED (REJECTED)", "its saga FAILED (COMPENSATION_EXHAUSTED)");
            assertThat(second.api().stock("book")).isEqualTo(1_000_000 - 2 - 1);
            assertThat(second.api().reserved("book")).isZero();
            assertThat(second.awaitLogin()).isNotEqualTo(login);
            assertThat(second.listsParked(second.awaitLogin())).isEqualTo(200);
            assertThat(second.listsParked(login)).isEqualTo(401);
        }
    }

    @Test
    void an_order_that_is_interrupted_while_it_is_undone_is_undone() throws IOException, InterruptedException {
        String id;
        try (OrderProcess first = OrderProcess.start(folder.resolve("first.log"), h2())) {
            first.api().fault("refunds", "HANG");
            id = first.api().place("loses-every-reply").orderId();
            first.api().awaitStep(id, 2, "COMPENSATING");
            first.kill();
        }
        try (OrderProcess second = OrderProcess.start(folder.resolve("second.log"), h2())) {
            JsonNode order = second.api().awaitSaga(id, "COMPENSATED");

            assertThat(log(order, "COMPENSATION"))
                    .containsSubsequence(
                            "process-payment SUCCEEDED", "reserve-inventory SUCCEEDED", "create-order SUCCEEDED");
            assertThat(second.api().payment(id)).isEqualTo("REFUNDED");
            assertThat(second.api().stock("book")).isEqualTo(1_000_000);
            assertThat(second.api().reserved("book")).isZero();
        }
    }

    private static List<String> with(List<String> arguments, String another) {
        return Stream.concat(arguments.stream(), Stream.of(another)).toList();
    }

    private List<String> h2() {
        return List.of("--spring.datasource.url=jdbc:h2:file:" + folder.resolve("orders") + ";WRITE_DELAY=0");
    }
}
