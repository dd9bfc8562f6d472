package io.backstep.saga.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.backstep.saga.jdbc.SagaSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What it changes when the two big tables are partitioned by saga id. No bar: docs/decisions has the figures. */
final class Partitioned implements Scenario {
    /** A unique index must have the saga id: business keys are unique within a partition only. */
    private static final String PARTITION = """
            create table parted_instance (like saga_instance including defaults including constraints)
              partition by hash (saga_id);
            create table parted_step_history (like saga_step_history including defaults including constraints)
              partition by hash (saga_id);
            drop table saga_instance, saga_step_history;
            alter table parted_instance rename to saga_instance;
            alter table parted_step_history rename to saga_step_history;
            alter table saga_instance add primary key (saga_id);
            alter table saga_step_history add primary key (saga_id, seq, ordinal);
            create unique index on saga_instance (type_id, business_key, saga_id) where business_key is not null;
            create index on saga_instance (definition_id, due_at) where due_at is not null;
            create index on saga_instance (saga_id) where status = 'FAILED';
            do $$ begin
              for n in 0 .. {count} - 1 loop
                execute format('create table saga_instance_%s partition of saga_instance
                  for values with (modulus {count}, remainder %s) with (fillfactor = 50)', n, n);
                execute format('create table saga_step_history_%s partition of saga_step_history
                  for values with (modulus {count}, remainder %s)', n, n);
              end loop;
            end $$
            """;

    @Override
    public Map<String, String> defaults() {
        Map<String, String> defaults = Sides.defaults();
        defaults.put("partitions", "8");
        defaults.put("contenders", "backstep,ceiling");
        defaults.put("in-flight", "256");
        return defaults;
    }

    @Override
    public boolean run(Settings settings, Server server, Report report) throws Exception {
        List<Nodes> all = new ArrayList<>();
        try {
            Sides sides = new Sides(report);
            for (String contender : settings.list("contenders")) {
                for (boolean parted : List.of(false, true)) {
                    Nodes nodes = nodes(Contenders.named(contender), server, settings, parted);
                    all.add(nodes);
                    nodes.warmUp(settings);
                    sides.with(
                            name(contender, parted),
                            () -> nodes.window(1, "W1:" + settings.text("in-flight"), settings));
                }
            }
            sides.run(settings.number("rounds"));
            for (String contender : settings.list("contenders")) {
                report.line(
                        "%s partitioned, times whole: %.2f",
                        contender, sides.ratio(name(contender, true), name(contender, false)));
            }
        } finally {
            for (Nodes nodes : all) {
                nodes.close();
            }
        }
        return true;
    }

    private static String name(String contender, boolean parted) {
        return contender + (parted ? " partitioned" : " whole");
    }

    private static Nodes nodes(Contenders contender, Server server, Settings settings, boolean parted)
            throws Exception {
        Server database = server.database(contender.title() + (parted ? "-parted" : "-whole"));
        if (parted) {
            try (HikariDataSource pool = database.pool()) {
                SagaSchema.migrate(pool);
            }
            database.execute(PARTITION.replace("{count}", settings.text("partitions")));
        }
        return Nodes.of(contender, database, 1);
    }
}
