package io.backstep.saga.examples.order.demo;

import io.backstep.saga.examples.order.LogLine;
import io.backstep.saga.examples.order.OrderView;
import io.backstep.saga.examples.order.UndoLine;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An order and its logs, as a table for people. */
final class SagaTable {
    private static final int MOST = 80;
    private static final Pattern PACKAGES = Pattern.compile("\\b([a-z]\\w*\\.)+(?=[A-Z])");

    private SagaTable() {}

    static String of(OrderView order) {
        StringBuilder table = new StringBuilder();
        row(table, "  order %s is %s, its saga %s%s", order.orderId(), status(order), order.saga(), because(order));
        row(table, "  %-4s %-18s %-13s %-4s %-11s %6s  %s", "seq", "step", "phase", "try", "outcome", "ms", "why");
        order.log().forEach(line -> line(table, line));
        if (!order.compensations().isEmpty()) {
            row(table, "  %-23s %-13s %-4s", "compensation log", "status", "retries");
            order.compensations().forEach(line -> line(table, line));
        }
        return table.toString();
    }

    private static void line(StringBuilder table, LogLine line) {
        row(
                table,
                "  %-4d %-18s %-13s %-4s %-11s %6d  %s",
                line.seq(),
                line.step().isEmpty() ? "-" : line.step(),
                line.phase(),
                line.attempt() == 0 ? "" : line.attempt(),
                line.outcome(),
                line.millis(),
                cut(line.why()));
    }

    private static void line(StringBuilder table, UndoLine line) {
        row(
                table,
                "  %-4d %-18s %-13s %-4d %s",
                line.position(),
                line.step(),
                line.status(),
                line.retries(),
                cut(line.lastError()));
    }

    private static void row(StringBuilder table, String format, Object... values) {
        table.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
    }

    private static String status(OrderView view) {
        return view.order() == null ? "not written down" : view.order().status().name();
    }

    private static String because(OrderView order) {
        return order.reason() == null ? "" : " (" + order.reason() + ")";
    }

    private static String cut(@Nullable String text) {
        if (text == null) {
            return "";
        }
        String line = PACKAGES.matcher(text.replace('\n', ' ')).replaceAll("");
        return line.length() <= MOST ? line : line.substring(0, MOST - 3) + "...";
    }
}
