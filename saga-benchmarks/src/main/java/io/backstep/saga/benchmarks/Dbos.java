package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.json.JsonMapper;

/** DBOS Transact: a workflow whose four steps are recorded; it undoes them in its own code. All defaults. */
final class Dbos implements Contender {
    private static final String TALLY = """
            select count(*) filter (where status = 'SUCCESS' and output like '%COMPLETED%'),
                count(*) filter (where status = 'SUCCESS' and output like '%COMPENSATED%'),
                count(*) filter (where status <> 'SUCCESS')
              from dbos.workflow_status
            """;

    /** What DBOS makes a proxy of. */
    public interface Orders {
        /** Runs a saga: how it ended. */
        String place(String order);
    }

    private static final class Business extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Business() {
            super("this order is rejected");
        }
    }

    private static final class Workflows implements Orders {
        private final DBOS dbos;
        private final Kind kind;

        private Workflows(DBOS dbos, Kind kind) {
            this.dbos = dbos;
            this.kind = kind;
        }

        @Override
        @Workflow(name = "place")
        public String place(String order) {
            step(STEPS[0]);
            step(STEPS[1]);
            try {
                dbos.runStep(this::confirm, STEPS[2]);
            } catch (Business e) {
                step("undo-" + STEPS[1]);
                step("undo-" + STEPS[0]);
                return End.COMPENSATED.name();
            }
            step(STEPS[3]);
            return End.COMPLETED.name();
        }

        private void step(String name) {
            dbos.runStep(() -> {}, name);
        }

        private void confirm() {
            if (kind == Kind.REJECTED) {
                throw new Business();
            }
        }
    }

    private final Server database;
    private final HikariDataSource pool;
    private final DBOS dbos;
    private final Orders orders;
    private final JsonMapper json = new JsonMapper();

    Dbos(Server database, Kind kind) {
        this.database = database;
        this.pool = database.pool();
        this.dbos = new DBOS(DBOSConfig.defaults("benchmark").withDataSource(pool));
        this.orders = dbos.registerProxy(Orders.class, new Workflows(dbos, kind));
        dbos.launch();
    }

    @Override
    public CompletableFuture<End> start(Order order) {
        String input = json.writeValueAsString(order);
        return CompletableFuture.completedFuture(
                End.valueOf(dbos.startWorkflow(() -> orders.place(input)).getResult()));
    }

    @Override
    public Tally tally() throws SQLException {
        return database.tally(TALLY);
    }

    @Override
    public void close() {
        dbos.shutdown();
        pool.close();
    }
}
