package io.backstep.saga.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What came of a run.
 *
 * @param options what it was told
 * @param facts what was done, and what was seen
 * @param results of the checks
 */
record ChaosReport(ChaosOptions options, Map<String, Object> facts, List<CheckResult> results) {
    private static final Map<String, String> SEEN = new LinkedHashMap<>();

    static {
        SEEN.put("sagas", "select count(*) from chaos_instance");
        SEEN.put("  of them purged", "select count(*) from chaos_old_instance");
        SEEN.put("starts acknowledged", "select count(*) from chaos_acknowledged");
        SEEN.put("starts rolled back", "select count(*) from chaos_rolled_back");
        SEEN.put("calls of far ends", "select count(*) from far_call");
        SEEN.put("  repeated, answered by key", "select count(*) from far_call where verdict = 'REPEATED'");
        SEEN.put("  undone before they came", "select count(*) from far_effect where state = 'CANCELLED'");
        SEEN.put("  refused, because undone", "select count(*) from far_call where verdict = 'REFUSED'");
        SEEN.put("  by an owner of before", """
                select count(*) from far_call c where exists (select 1 from chaos_write w
                  where w.saga_id = c.saga_id and w.epoch > c.epoch and w.at < c.begun_at)
                """);
        SEEN.put("signals acknowledged", "select count(*) from chaos_signalled");
        SEEN.put("  waits answered", """
                select count(*) from chaos_history h where h.step = 'answer' and h.outcome = 'SUCCEEDED'
                """);
        SEEN.put("  waits whose time passed", """
                select count(*) from chaos_history h where h.step = 'answer' and h.outcome = 'TIMED_OUT'
                """);
        SEEN.put("children", "select count(*) from chaos_instance where parent_id is not null");
        SEEN.put("  undone after their end", """
                select count(*) from chaos_history h where h.outcome = 'TURNED' and h.reason = 'PARENT'
                """);
        SEEN.put(
                "probes answered",
                "select count(*) from chaos_history where phase = 'PROBE' and outcome = 'SUCCEEDED'");
        SEEN.put("steps left out by a condition", """
                select count(*) from chaos_history where phase = 'CONDITION' and outcome = 'SKIPPED'
                """);
        SEEN.put("attempts taken over", "select count(*) from chaos_history where outcome = 'TAKEN_OVER'");
        SEEN.put("epochs taken by another node", """
                select count(*) from (select epoch, owner, lag(epoch) over one as e, lag(owner) over one as o
                  from chaos_write window one as (partition by saga_id order by id)) w where epoch > e and owner <> o
                """);
        SEEN.put("epochs taken back after a commit in doubt", """
                select count(*) from (select epoch, owner, lag(epoch) over one as e, lag(owner) over one as o
                  from chaos_write window one as (partition by saga_id order by id)) w where epoch > e and owner = o
                """);
        SEEN.put("sagas written by nodes of several releases", """
                select count(*) from (select from chaos_write where owner like '%\\_V%'
                  group by saga_id having count(distinct split_part(split_part(owner, '/', 1), '_', 2)) > 1) w
                """);
        SEEN.put("operators' actions accepted", "select count(*) from saga_audit");
        SEEN.put("  by force", "select count(*) from saga_audit where forced");
        SEEN.put("times that a process stood still", "select count(*) from chaos_pause");
    }

    static ChaosReport of(
            ChaosOptions options,
            Cluster cluster,
            Injected injected,
            Duration rest,
            Duration took,
            List<CheckResult> results)
            throws IOException, SQLException {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("took", took.toSeconds() + " s, at rest after " + rest.toMillis() + " ms");
        facts.put("JVMs", Cluster.files(options.folder(), "log").size());
        facts.put("  with a clock minutes to an hour wrong", lines(options.folder(), Node.WRONG_CLOCK));
        facts.putAll(injected.all());
        try (Connection connection = cluster.database().connect()) {
            for (Map.Entry<String, String> seen : SEEN.entrySet()) {
                facts.put(seen.getKey(), Sql.number(connection, seen.getValue()));
            }
            for (List<String> row : Sql.rows(connection, """
                    select case when definition like 'deployed %' then definition || ' ' else '' end
                        || status || coalesce(' ' || reason, ''), count(*) from chaos_instance group by 1 order by 1
                    """)) {
                facts.put("saga " + row.get(0), row.get(1));
            }
        }
        facts.put("log: not this node's any more", lines(options.folder(), "is not this node's any more"));
        facts.put("log: refused by the fence", lines(options.folder(), "another owner has taken it"));
        facts.put("log: SAGA-DB-002, the store fails", lines(options.folder(), "SAGA-DB-002"));
        facts.put("log: SAGA-ENGINE", lines(options.folder(), "SAGA-ENGINE-"));
        return new ChaosReport(options, facts, results);
    }

    private static long lines(Path folder, String text) throws IOException {
        long count = 0;
        for (Path file : Cluster.files(folder, "log")) {
            count += new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.contains(text))
                    .count();
        }
        return count;
    }

    boolean holds() {
        return results.stream().allMatch(CheckResult::holds);
    }

    long fact(String name) {
        return Long.parseLong(String.valueOf(facts.getOrDefault(name, 0)));
    }

    String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "chaos: %d s, %d nodes, seed %d, %.0f starts a second on each, pace %s, %scommit %s%n",
                options.duration().toSeconds(),
                options.nodes(),
                options.seed(),
                options.starts(),
                options.pace(),
                options.deploys() ? "a deploy every " + options.deployEvery().toSeconds() + " s, " : "",
                System.getProperty("commit", "unknown")));
        facts.forEach((name, value) -> text.append(String.format(Locale.ROOT, "%-45s %s%n", name, value)));
        results.forEach(result -> text.append(result).append(System.lineSeparator()));
        long broken = results.stream().filter(result -> !result.holds()).count();
        return text.append(broken == 0 ? "all checks hold" : broken + " checks are BROKEN")
                .append(System.lineSeparator())
                .toString();
    }
}
