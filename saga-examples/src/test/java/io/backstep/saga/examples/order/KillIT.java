package io.backstep.saga.examples.order;

import static io.backstep.saga.examples.order.OrderApi.log;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Kills the whole service with -9, starts it again on the same database, and looks how the interrupted order ends. */
class KillIT {
    @TempDir
    Path folder;

    @Test
    void an_interrupted_order_completes() throws IOException, InterruptedException {
        Interrupted.completes(folder, h2());
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

    private List<String> h2() {
        return List.of("--spring.datasource.url=jdbc:h2:file:" + folder.resolve("orders") + ";WRITE_DELAY=0");
    }
}
