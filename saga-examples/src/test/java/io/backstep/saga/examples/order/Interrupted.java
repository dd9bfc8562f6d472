package io.backstep.saga.examples.order;

import static io.backstep.saga.examples.order.OrderApi.log;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** The service is killed while an order waits for its payment, and started again on the same database. */
final class Interrupted {
    private Interrupted() {}

    static void completes(Path folder, List<String> database) throws IOException, InterruptedException {
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

    private static List<String> with(List<String> arguments, String another) {
        return Stream.concat(arguments.stream(), Stream.of(another)).toList();
    }
}
