package io.backstep.saga.jdbc;

import io.backstep.saga.store.CompensationEntry;
import io.backstep.saga.store.HistoryEntry;
import io.backstep.saga.store.Mutation;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A batch of mutations, column by column. */
record MutationArrays(Connection connection, List<Mutation> batch) {
    private record Line(UUID sagaId, int ordinal, HistoryEntry entry) {}

    private record Compensated(UUID sagaId, CompensationEntry entry) {}

    Object[] parameters() throws SQLException {
        List<Line> lines = new ArrayList<>();
        List<Compensated> compensations = new ArrayList<>();
        for (Mutation mutation : batch) {
            UUID id = mutation.fence().sagaId();
            for (int i = 0; i < mutation.history().size(); i++) {
                lines.add(new Line(id, i, mutation.history().get(i)));
            }
            mutation.compensations().forEach(entry -> compensations.add(new Compensated(id, entry)));
        }
        return Stream.of(mutations(), history(lines), compensations(compensations))
                .flatMap(Stream::of)
                .toArray();
    }

    private Object[] mutations() throws SQLException {
        return new Object[] {
            array("uuid", batch, row -> row.fence().sagaId()),
            array("int8", batch, row -> row.fence().epoch()),
            array("int8", batch, row -> row.fence().seq()),
            array("text", batch, row -> row.status().name()),
            array(
                    "text",
                    batch,
                    row -> row.reason() == null ? null : row.reason().name()),
            array("text", batch, Mutation::steps),
            array("text", batch, row -> row.hold().kind().name()),
            array(
                    "int8",
                    batch,
                    row -> row.hold().duration() == null
                            ? null
                            : Rows.micros(row.hold().duration()))
        };
    }

    private Object[] history(List<Line> lines) throws SQLException {
        return new Object[] {
            array("uuid", lines, Line::sagaId),
            array("int4", lines, Line::ordinal),
            array("text", lines, line -> line.entry().step()),
            array("text", lines, line -> line.entry().phase().name()),
            array("int4", lines, line -> line.entry().attempt()),
            array("text", lines, line -> line.entry().outcome().name()),
            array(
                    "text",
                    lines,
                    line -> line.entry().reason() == null
                            ? null
                            : line.entry().reason().name()),
            array("text", lines, line -> line.entry().result()),
            array("text", lines, line -> line.entry().errorCode()),
            array("text", lines, line -> line.entry().errorText()),
            array("int8", lines, line -> Rows.micros(line.entry().duration())),
            array("text", lines, line -> line.entry().node())
        };
    }

    private Object[] compensations(List<Compensated> rows) throws SQLException {
        return new Object[] {
            array("uuid", rows, Compensated::sagaId),
            array("text", rows, row -> row.entry().step()),
            array("int4", rows, row -> row.entry().position()),
            array("text", rows, row -> row.entry().status().name()),
            array("int4", rows, row -> row.entry().retryCount()),
            array(
                    "int8",
                    rows,
                    row -> row.entry().nextRetryIn() == null
                            ? null
                            : Rows.micros(row.entry().nextRetryIn())),
            array("text", rows, row -> row.entry().request()),
            array("text", rows, row -> row.entry().response()),
            array("text", rows, row -> row.entry().lastError())
        };
    }

    private <T> Array array(String type, List<T> rows, Function<T, @Nullable Object> column) throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }
}
