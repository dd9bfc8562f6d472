package io.backstep.saga.benchmarks;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * db-scheduler: a chain of tasks, each of which replaces itself by the next. A task that is done leaves no row, so the ends are
 * counted here, and those that have not ended by SQL.
 */
final class DbScheduler implements Contender {
    private static final String SCHEMA = """
            create table if not exists scheduled_tasks (
              task_name text not null,
              task_instance text not null,
              task_data bytea,
              execution_time timestamp with time zone,
              picked boolean not null,
              picked_by text,
              last_success timestamp with time zone,
              last_failure timestamp with time zone,
              consecutive_failures int,
              last_heartbeat timestamp with time zone,
              version bigint not null,
              priority smallint,
              state text,
              primary key (task_name, task_instance)
            );
            create index if not exists execution_time_idx on scheduled_tasks (execution_time);
            create index if not exists last_heartbeat_idx on scheduled_tasks (last_heartbeat);
            create index if not exists priority_execution_time_idx on scheduled_tasks (priority desc, execution_time asc)
            """;

    private static final List<String> FORWARD = List.of(STEPS);
    private static final List<String> AND_BACK = List.of(STEPS[0], STEPS[1], STEPS[2], "undo-pay", "undo-reserve");

    private final Server database;
    private final End end;
    private final HikariDataSource pool;
    private final Scheduler scheduler;
    private final List<TaskDescriptor<String>> chain;
    private final Map<String, CompletableFuture<End>> ends = new ConcurrentHashMap<>();
    private final LongAdder ended = new LongAdder();
    private final JsonMapper json = new JsonMapper();

    DbScheduler(Server database, Kind kind) {
        this.database = database;
        this.end = kind.end();
        this.pool = database.pool();
        database.execute(SCHEMA);
        this.chain = (kind == Kind.REJECTED ? AND_BACK : FORWARD)
                .stream().map(step -> TaskDescriptor.of(step, String.class)).toList();
        List<Task<?>> tasks = new ArrayList<>();
        for (int i = 0; i < chain.size(); i++) {
            CompletionHandler<String> then = i + 1 < chain.size() ? next(chain.get(i + 1)) : last();
            tasks.add(Tasks.custom(chain.get(i)).execute((instance, context) -> then));
        }
        this.scheduler = Scheduler.create(pool, tasks)
                .enableImmediateExecution()
                .pollUsingLockAndFetch(1, 4)
                .pollingInterval(Duration.ofSeconds(1))
                .build();
        scheduler.start();
    }

    private static CompletionHandler<String> next(TaskDescriptor<String> next) {
        return (complete, operations) -> operations.removeAndScheduleNew(
                next.instance(complete.getExecution().taskInstance.getId())
                        .data((String) complete.getExecution().taskInstance.getData())
                        .scheduledTo(Instant.now()));
    }

    private CompletionHandler<String> last() {
        return (complete, operations) -> {
            operations.remove();
            ended.increment();
            @Nullable
            CompletableFuture<End> told =
                    ends.remove(complete.getExecution().taskInstance.getId());
            if (told != null) {
                told.complete(end);
            }
        };
    }

    @Override
    public CompletableFuture<End> start(Order order) {
        String id = UUID.randomUUID().toString();
        CompletableFuture<End> told = new CompletableFuture<>();
        ends.put(id, told);
        scheduler.schedule(
                chain.get(0).instance(id).data(json.writeValueAsString(order)).scheduledTo(Instant.now()));
        return told;
    }

    @Override
    public Tally tally() throws SQLException {
        long open = database.tally("select count(*), 0, 0 from scheduled_tasks").completed();
        long ends = ended.sum();
        return end == End.COMPLETED ? new Tally(ends, 0, open) : new Tally(0, ends, open);
    }

    @Override
    public void close() {
        scheduler.stop();
        pool.close();
    }
}
