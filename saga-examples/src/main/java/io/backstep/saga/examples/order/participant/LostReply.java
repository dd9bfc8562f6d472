package io.backstep.saga.examples.order.participant;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Breaks off an answer. */
final class LostReply {
    private LostReply() {}

    static boolean wanted(Fault fault, boolean first) {
        return fault == Fault.LOSE_EVERY_REPLY || (fault == Fault.LOSE_REPLY && first);
    }

    /** Promises more than it sends, so that the server can only close the connection. */
    static void on(HttpServletResponse response) throws IOException {
        response.setContentLength(1000);
        response.flushBuffer();
    }
}
