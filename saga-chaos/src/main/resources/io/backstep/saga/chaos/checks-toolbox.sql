-- What must hold of branches, waits, children and probes; as checks.sql.

-- check: what its condition leaves out is not called, and anything else only after its condition
select c.id, c.key, s.kind, c.attempt from far_call c
  join chaos_instance i on i.saga_id = c.saga_id
  join chaos_step s on s.definition = i.definition and s.step = c.step and s.conditional
  where s.kind = 'NEVER' or not exists (
    select 1 from chaos_history h where h.saga_id = c.saga_id and h.step = c.step and h.phase = 'CONDITION' and h.outcome = 'SUCCEEDED');

-- check: a step that has a probe is not called again before that was asked
select c.saga_id, c.step, count(*) from far_call c
  join chaos_instance i on i.saga_id = c.saga_id
  join chaos_step s on s.definition = i.definition and s.step = c.step and s.probed
  where c.phase = 'ACTION' and not exists (select 1 from chaos_history r where r.saga_id = c.saga_id and r.outcome = 'RESUMED')
  group by c.saga_id, c.step having count(*) > 1 + (
    select count(*) from chaos_history p where p.saga_id = c.saga_id and p.step = c.step and p.phase = 'PROBE');

-- check: no wait is over before its time, unless it was answered
select h.saga_id, h.step, h.outcome, w.at - c.arrived_at as after, t.millis from chaos_history h
  join chaos_instance i on i.saga_id = h.saga_id
  join chaos_step s on s.definition = i.definition and s.step = h.step and s.kind in ('DELAY', 'SIGNAL')
  join chaos_write w on w.saga_id = h.saga_id and w.seq = h.seq
    and w.id = (select min(f.id) from chaos_write f where f.saga_id = w.saga_id and f.seq = w.seq)
  join far_call c on c.saga_id = h.saga_id and c.step = any(s.waits_for) and c.phase = 'ACTION' and c.verdict = 'APPLIED'
  cross join lateral (select s.waits_millis + coalesce(sum(b.waits_millis), 0) as millis from chaos_step b
    where b.definition = s.definition and b.step = any(s.waits_for) and c.step = any(b.waits_for)) t -- with the waits between
  where h.phase = 'ACTION' and h.outcome = case s.kind when 'DELAY' then 'SUCCEEDED' else 'TIMED_OUT' end
    and w.at < c.arrived_at + t.millis * interval '1 ms' - interval '5 ms';

-- Who lets a wait's time pass has claimed the saga, and was told its mail then; an operator may come between.

-- check: an answer that is acknowledged is there, and in time it is taken; nothing else is
select s.saga_id, s.message_id, 'is not there', null from chaos_signalled s where not exists (
  select 1 from chaos_signal m where m.saga_id = s.saga_id and m.message_id = 'signal:' || s.message_id)
union all
select h.saga_id, h.step, 'taken, and never sent', h.result from chaos_history h
  join chaos_instance i on i.saga_id = h.saga_id
  join chaos_step s on s.definition = i.definition and s.step = h.step and s.kind = 'SIGNAL'
  where h.phase = 'ACTION' and h.outcome = 'SUCCEEDED' and not exists (
    select 1 from chaos_signal m where m.saga_id = h.saga_id and m.step = h.step and m.result is not distinct from h.result)
union all
select h.saga_id, a.message_id, 'in time, and not taken', (claimed.at - a.at)::text from chaos_history h
  join chaos_instance i on i.saga_id = h.saga_id
  join chaos_step s on s.definition = i.definition and s.step = h.step and s.kind = 'SIGNAL'
  join chaos_write w on w.saga_id = h.saga_id and w.seq = h.seq
    and w.id = (select min(f.id) from chaos_write f where f.saga_id = w.saga_id and f.seq = w.seq)
  cross join lateral (select min(f.at) as at from chaos_write f where f.saga_id = w.saga_id and f.epoch = w.epoch) claimed
  join chaos_signalled a on a.saga_id = h.saga_id and a.at < claimed.at - interval '100 ms'
  where h.outcome = 'TIMED_OUT' and not exists (select 1 from saga_audit o where o.saga_id = h.saga_id);

-- check: there is one child when its parent says that it has started it, and only then
select h.saga_id, h.step, count(c.saga_id) from chaos_history h
  left join chaos_instance c on c.parent_id = h.saga_id and c.parent_step = h.step
  where h.outcome = 'STARTED' group by h.saga_id, h.step having count(*) <> 1 or count(c.saga_id) <> 1
union all
select c.parent_id, c.parent_step, 0 from chaos_instance c where c.parent_id is not null and not exists (
  select 1 from chaos_history h where h.saga_id = c.parent_id and h.step = c.parent_step and h.outcome = 'STARTED');

-- check: a child ends as its parent does, and gives it its result
select p.saga_id, p.status, c.saga_id, c.status from chaos_instance c join chaos_instance p on p.saga_id = c.parent_id
  where p.status in ('COMPLETED', 'COMPENSATED') and c.status <> p.status
union all
select h.saga_id, coalesce(h.result, ''), c.saga_id, r.result from chaos_instance c
  join chaos_history h on h.saga_id = c.parent_id and h.step = c.parent_step and h.phase = 'ACTION' and h.outcome = 'SUCCEEDED'
  left join chaos_history r on r.saga_id = c.saga_id and r.step = c.parent_output and r.phase = 'ACTION' and r.outcome = 'SUCCEEDED'
  where r.result is null or h.result is distinct from r.result;

-- check: a saga ends once, and is undone after that only for a parent that has turned
select h.saga_id, 'ended ' || count(*) from chaos_history h where h.outcome = 'ENDED' group by h.saga_id having count(*) > 1 + (
  select count(*) from chaos_history t where t.saga_id = h.saga_id and t.outcome = 'TURNED' and t.reason = 'PARENT')
union all
select h.saga_id, 'for no parent that has turned' from chaos_history h left join chaos_instance i on i.saga_id = h.saga_id
  where h.outcome = 'TURNED' and h.reason = 'PARENT' and not exists (
    select 1 from chaos_history p where p.saga_id = i.parent_id and p.outcome = 'TURNED');
