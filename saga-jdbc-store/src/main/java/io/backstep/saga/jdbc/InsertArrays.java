package io.backstep.saga.jdbc;

import io.backstep.saga.store.NewInstance;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A batch of starts, column by column. */
record InsertArrays(Connection connection, List<NewInstance> batch) {
    Object[] parameters() throws SQLException {
        return new Object[] {
            array("uuid", NewInstance::sagaId),
            array("int4", row -> row.definition().definitionId()),
            array("int4", row -> row.definition().typeId()),
            array("text", NewInstance::businessKey),
            array("text", NewInstance::inputHash),
            array("text", row -> row.status().name()),
            array("text", NewInstance::steps),
            array("text", NewInstance::input),
            array("int4", NewInstance::format),
            array("text", row -> row.lease() == null ? null : row.lease().owner()),
            array(
                    "int8",
                    row -> row.lease() == null ? null : Rows.micros(row.lease().duration())),
            array("int8", row -> row.deadline() == null ? null : Rows.micros(row.deadline()))
        };
    }

    private Array array(String type, Function<NewInstance, @Nullable Object> column) throws SQLException {
        return connection.createArrayOf(type, batch.stream().map(column).toArray());
    }
}
