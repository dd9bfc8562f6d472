package io.backstep.saga.examples.order.demo;

/** What one can do next. */
final class Hints {
    private Hints() {}

    static String text(String port, long pid) {
        return """
                == Up, on port %1$s. Try:

                  an order:       curl -i localhost:%1$s/orders -H 'Content-Type: application/json' -d \\
                                    '{"reference":"my-1","customer":"bob@example.org","sku":"lamp","quantity":1,"amount":30}'
                                  add "card":"declined", "hangs", "loses-reply", "loses-every-reply" or "cannot-refund"
                  its saga log:   curl localhost:%1$s/orders/ID
                  what is left:   curl localhost:%1$s/stock/lamp
                  metrics:        curl -s localhost:%1$s/actuator/prometheus | grep -E '^(saga|compensation)_'

                  a crash:        curl -X PUT localhost:%1$s/participants/payments/mode \\
                                    -H 'Content-Type: application/json' -d '{"fault":"HANG"}'
                                  place an order, then: kill -9 %2$d
                                  and start again: the order goes on where it was
                """.formatted(port, pid);
    }
}
