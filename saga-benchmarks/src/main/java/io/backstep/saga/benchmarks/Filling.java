package io.backstep.saga.benchmarks;

import io.backstep.saga.definition.SagaDefinition;
import io.backstep.saga.serialization.Json;
import io.backstep.saga.serialization.StateCodec;
import io.backstep.saga.state.SagaMachine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Puts order sagas into the tables of a database that knows their definition, by SQL. */
final class Filling {
    /** Ids in the order of their time, as ours are; the same for the same number. */
    private static final String ID = """
            (lpad(to_hex(1764460800000 + n), 12, '0') || '7' || substr(md5(n::text), 1, 3)
              || 'b' || substr(md5(n::text), 4, 15))::uuid
            """;

    private static final String FINISHED = """
            insert into saga_instance (saga_id, definition_id, type_id, business_key, input_hash, status, steps, input, format,
                epoch, seq, owner, due_at, deadline, created_at, updated_at)
              select {id}, d.id, d.type_id, null, md5(n::text) || md5(n::text), 'COMPLETED',
                  '{"steps":{"reserve":1,"pay":2,"confirm":3,"ship":4}}',
                  replace('{order}', '#', n::text), 1, 1, 4, null, null, null, clock_timestamp(), clock_timestamp()
                from generate_series(1, {count}) n cross join (select id, type_id from saga_definition limit 1) d
            """.replace("{id}", ID);

    private static final String HISTORY = """
            insert into saga_step_history (saga_id, seq, ordinal, step, phase, attempt, outcome, started_at, duration, node)
              select {id}, s.seq, 0, s.step, 'ACTION', 1, 'SUCCEEDED', clock_timestamp(), 100, 'node'
                from generate_series(1, {count}) n
                  cross join (values (1, 'reserve'), (2, 'pay'), (3, 'confirm'), (4, 'ship')) as s(seq, step)
            """.replace("{id}", ID);

    private static final String DUE = """
            insert into saga_instance (saga_id, definition_id, type_id, business_key, input_hash, status, steps, input, format,
                epoch, seq, owner, due_at, deadline, created_at, updated_at)
              select n.id, d.id, d.type_id, null, repeat('0', 64), 'RUNNING', ?, ?, 1,
                  0, 0, null, clock_timestamp(), null, clock_timestamp(), clock_timestamp()
                from unnest(?) as n(id) cross join (select id, type_id from saga_definition limit 1) d
            """;

    private static final Json JSON = new Json();

    private Filling() {}

    /** Sagas that have ended, each with its history. */
    static void finished(Server database, long count) {
        CompletableFuture.allOf(Stream.of(FINISHED, HISTORY)
                        .map(sql -> sql.replace("{count}", Long.toString(count))
                                .replace("{order}", JSON.write("an order", Order.named("order-#"))))
                        .map(sql -> CompletableFuture.runAsync(() -> database.execute(sql)))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
        database.execute("vacuum analyze");
    }

    /** Sagas that are due, all at once, and that nobody has had. */
    static void due(Server database, Order order, List<UUID> ids) throws SQLException {
        SagaDefinition<Order> definition = Order.definition(any -> {});
        String steps = new StateCodec(JSON)
                .write(definition, new SagaMachine(definition).start(null).state());
        try (Connection connection = database.connect();
                PreparedStatement insert = connection.prepareStatement(DUE)) {
            insert.setString(1, steps);
            insert.setString(2, JSON.write("an order", order));
            insert.setArray(3, connection.createArrayOf("uuid", ids.toArray()));
            insert.executeUpdate();
        }
    }
}
