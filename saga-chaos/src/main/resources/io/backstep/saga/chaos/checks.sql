-- What must hold, whatever was done. Each query finds the offenders. Nothing of the engine's code is used: its tables, what triggers
-- noted of every write, what the far ends noted of every call, and the files of the processes.

-- check: every acknowledged start is there
select a.saga_id, a.business_key, a.node from chaos_acknowledged a
  where not exists (select 1 from chaos_instance i where i.saga_id = a.saga_id and i.business_key = a.business_key);

-- check: every saga has ended or is parked
select saga_id, status, reason, owner, due_at from chaos_active
union all
select saga_id, status, reason, owner, due_at from saga_instance
  where status not in ('RUNNING', 'COMPENSATING', 'COMPLETED', 'COMPENSATED', 'FORCE_COMPLETED', 'FAILED') or (status = 'FAILED' and reason is null)
union all
select saga_id, 'purged ' || status, reason, owner, due_at from chaos_old_instance
  where status not in ('COMPLETED', 'COMPENSATED', 'FORCE_COMPLETED');

-- check: parked only for what can happen here
select i.saga_id, i.definition, i.reason from chaos_instance i
  where i.status = 'FAILED' and i.reason not in ('COMPENSATION_EXHAUSTED', 'TAKEOVER_LIMIT')
    and not (i.reason = 'PIVOT_UNKNOWN'
      and exists (select 1 from chaos_step s where s.definition = i.definition and s.kind = 'PIVOT' and not s.near));

-- check: a start that was rolled back leaves nothing
select r.business_key from chaos_rolled_back r
  where exists (select 1 from chaos_instance i where i.business_key = r.business_key)
    or exists (select 1 from chaos_order o where o.business_key = r.business_key);

-- check: a start in a caller's transaction is there when its row is, and only then
select o.saga_id, o.business_key from chaos_order o where not exists (select 1 from chaos_instance i where i.saga_id = o.saga_id)
union all
select i.saga_id, i.business_key from chaos_instance i
  where i.business_key like '%-joined' and not exists (select 1 from chaos_order o where o.saga_id = i.saga_id);

-- check: one saga for each key at a time
select a.saga_id, b.saga_id, a.business_key from chaos_instance a
  join chaos_instance b on b.business_key = a.business_key and b.type_id = a.type_id and b.saga_id > a.saga_id
  where a.created_at < coalesce(b.deleted_at, 'infinity') and b.created_at < coalesce(a.deleted_at, 'infinity');

-- check: one recorded success for each saga, step and phase
select saga_id, step, phase, count(*) from chaos_history where outcome = 'SUCCEEDED' and phase <> 'SAGA'
  group by saga_id, step, phase having count(*) > 1;

-- check: transactional effects are there exactly once, and exactly when recorded
select coalesce(c.saga_id, h.saga_id), coalesce(c.step, h.step), coalesce(c.phase, h.phase), c.n as effects, h.n as records
  from chaos_counter c full join (
    select l.saga_id, l.step, l.phase, count(*) as n from chaos_history l
      join chaos_instance i on i.saga_id = l.saga_id
      join chaos_step s on s.definition = i.definition and s.step = l.step and s.near
      where l.outcome = 'SUCCEEDED' group by l.saga_id, l.step, l.phase) h
    on h.saga_id = c.saga_id and h.step = c.step and h.phase = c.phase
  where coalesce(c.n, 0) <> coalesce(h.n, 0) or c.n <> 1;

-- check: one key for each saga's step, on every node and attempt
select id, key, saga_id, step from far_call where key <> saga_id || ':' || step;

-- check: no attempt is called twice: each call was written down before
select saga_id, step, phase, attempt, count(*), string_agg(node || ' ' || epoch, ', ') from far_call c
  where not exists (select 1 from chaos_history r where r.saga_id = c.saga_id and r.outcome = 'RESUMED')
  group by saga_id, step, phase, attempt having count(*) > 1;

-- check: a far end that knows keys has at most one effect
select key, state, done, undone from far_effect where done > 1 or undone > done;

-- check: calls are of sagas that exist
select c.id, c.key from far_call c where not exists (select 1 from chaos_instance i where i.saga_id = c.saga_id);

-- check: COMPLETED means that every step is recorded, but for best-effort ones
select i.saga_id, s.step from chaos_instance i join chaos_step s on s.definition = i.definition and s.kind <> 'BEST_EFFORT'
  where i.status = 'COMPLETED' and not exists (
    select 1 from chaos_history h where h.saga_id = i.saga_id and h.step = s.step and case s.kind
      when 'TCC' then h.phase = 'CONFIRM' and h.outcome = 'SUCCEEDED'
      when 'NEVER' then h.phase = 'CONDITION' and h.outcome = 'SKIPPED'
      else h.phase in ('ACTION', 'PROBE') and h.outcome = 'SUCCEEDED' end);

-- check: what is recorded as done is done
select h.saga_id, h.step from chaos_history h
  join chaos_instance i on i.saga_id = h.saga_id
  join chaos_step s on s.definition = i.definition and s.step = h.step and not s.near and s.kind not in ('SIGNAL', 'DELAY', 'CHILD')
  where h.phase in ('ACTION', 'PROBE') and h.outcome = 'SUCCEEDED' and not exists (
    select 1 from far_call c where c.saga_id = h.saga_id and c.step = h.step and c.phase = 'ACTION'
      and c.verdict in ('APPLIED', 'REPEATED'));

-- check: COMPLETED means that every effect is there
select i.saga_id, s.step, e.state from chaos_instance i
  join chaos_step s on s.definition = i.definition and s.careful and not s.near
    and s.kind not in ('BEST_EFFORT', 'NEVER', 'SIGNAL', 'DELAY', 'CHILD')
  left join far_effect e on e.saga_id = i.saga_id and e.step = s.step
  where i.status = 'COMPLETED' and e.state is distinct from case s.kind when 'TCC' then 'CONFIRMED' else 'DONE' end;

-- check: COMPENSATED means that no effect is left
with undoable as (
  select i.saga_id, s.step from chaos_instance i join chaos_step s on s.definition = i.definition and s.compensated
    where i.status = 'COMPENSATED')
select u.saga_id, u.step, e.state from undoable u join far_effect e on e.saga_id = u.saga_id and e.step = u.step
  where e.state in ('DONE', 'CONFIRMED')
union all
select u.saga_id, u.step, 'counted, and not undone' from undoable u
  join chaos_counter a on a.saga_id = u.saga_id and a.step = u.step and a.phase = 'ACTION'
  where not exists (
    select 1 from chaos_counter c where c.saga_id = a.saga_id and c.step = a.step and c.phase = 'COMPENSATION')
union all
select u.saga_id, u.step, 'called, and never undone' from undoable u
  join far_call c on c.saga_id = u.saga_id and c.step = u.step and c.phase = 'ACTION' and c.verdict = 'APPLIED'
  where not exists (
    select 1 from far_call b where b.saga_id = c.saga_id and b.step = c.step and b.phase = 'COMPENSATION');

-- check: only what may have taken effect is compensated
select u.saga_id, u.step from chaos_history u
  join chaos_instance i on i.saga_id = u.saga_id
  join chaos_step s on s.definition = i.definition and s.step = u.step
  where u.phase = 'COMPENSATION' and not exists (
    select 1 from chaos_history a where a.saga_id = u.saga_id and a.step = u.step and a.phase = 'ACTION'
      and (a.seq, a.ordinal) < (u.seq, u.ordinal)
      and (a.outcome = 'SUCCEEDED'
        or (not s.near and a.outcome in ('FAILED', 'TIMED_OUT', 'ABANDONED', 'INTERRUPTED', 'TAKEN_OVER', 'ESCAPED'))));

-- Tries are confirmed or cancelled side by side; of branches, too, the latest comes first.

-- check: compensations come in reverse order, unknown steps first
with resumed as (select distinct saga_id from chaos_history where outcome = 'RESUMED'),
done as (select saga_id, step, seq, ordinal from chaos_history where phase in ('ACTION', 'PROBE') and outcome = 'SUCCEEDED'),
undone as (
  select u.saga_id, u.step, u.seq, u.ordinal, d.seq as done_seq, d.ordinal as done_ordinal
    from chaos_history u left join done d on d.saga_id = u.saga_id and d.step = u.step
    where u.phase = 'COMPENSATION' and u.outcome = 'SUCCEEDED' and u.saga_id not in (select saga_id from resumed)
      and not exists (select 1 from chaos_instance i join chaos_step s on s.definition = i.definition and s.kind = 'TCC' where i.saga_id = u.saga_id))
select a.saga_id, a.step, b.step from undone a join undone b on b.saga_id = a.saga_id and (b.seq, b.ordinal) > (a.seq, a.ordinal)
  where a.done_seq is not null and (b.done_seq is null or (b.done_seq, b.done_ordinal) > (a.done_seq, a.done_ordinal));

-- check: a saga turns once, and completes only if it never did
select saga_id, 'turned ' || count(*) from chaos_history where phase = 'SAGA' and outcome = 'TURNED'
  group by saga_id having count(*) > 1
union all
select h.saga_id, i.status from chaos_history h join chaos_instance i on i.saga_id = h.saga_id
  where h.outcome = 'TURNED' and i.status = 'COMPLETED'
union all
select i.saga_id, 'undone, but it never turned' from chaos_instance i
  where i.status = 'COMPENSATED' and not exists (
    select 1 from chaos_history h where h.saga_id = i.saga_id and h.phase = 'SAGA' and h.outcome = 'TURNED');

-- check: no transactional action is recorded after the saga has turned
select h.saga_id, h.step from chaos_history h
  join chaos_instance i on i.saga_id = h.saga_id
  join chaos_step s on s.definition = i.definition and s.step = h.step and s.near
  join chaos_history t on t.saga_id = h.saga_id and t.phase = 'SAGA' and t.outcome = 'TURNED'
  where h.phase = 'ACTION' and h.outcome = 'SUCCEEDED' and (h.seq, h.ordinal) > (t.seq, t.ordinal);

-- An owner that believes in its lease may be late only if it stood still (chaos_pause), or an operator took the saga by force. Between
-- the code of a step and what is written down of it, a busy machine may lose a tenth of a second.

-- check: no action begins after the saga has turned
select c.id, c.key, c.epoch, w.epoch, c.begun_at - t.started_at as late, c.node from far_call c
  join chaos_history t on t.saga_id = c.saga_id and t.phase = 'SAGA' and t.outcome = 'TURNED'
  join chaos_write w on w.saga_id = t.saga_id and w.seq = t.seq
    and w.id = (select min(f.id) from chaos_write f where f.saga_id = w.saga_id and f.seq = w.seq)
  where c.phase = 'ACTION' and c.begun_at > t.started_at + interval '100 ms'
    and not exists (select 1 from saga_audit f where f.saga_id = c.saga_id and f.forced)
    and not (c.epoch < w.epoch and exists (
      select 1 from chaos_pause p where p.node = c.node and p.from_at <= c.begun_at and p.to_at >= c.begun_at - interval '250 ms'));

-- check: no step is called again after its success was recorded
select c.id, c.key, c.phase, c.epoch, w.epoch, c.node from far_call c
  join chaos_history h on h.saga_id = c.saga_id and h.step = c.step and h.outcome = 'SUCCEEDED'
    and (h.phase = c.phase or (h.phase = 'PROBE' and c.phase = 'ACTION'))
  join chaos_write w on w.saga_id = h.saga_id and w.seq = h.seq
  where c.begun_at > h.started_at + h.duration * interval '1 microsecond' + interval '100 ms'
    and w.id = (select min(f.id) from chaos_write f where f.saga_id = w.saga_id and f.seq = w.seq)
    and not exists (select 1 from saga_audit f where f.saga_id = c.saga_id and f.forced)
    and not (c.epoch < (select max(n.epoch) from chaos_write n where n.saga_id = w.saga_id) and exists (
      select 1 from chaos_pause p where p.node = c.node and p.from_at <= c.begun_at and p.to_at >= c.begun_at - interval '250 ms'));

-- check: no call begins after another node has taken the saga over
select c.id, c.key, c.phase, c.epoch, w.epoch, w.owner, c.begun_at - w.at as late, c.node from far_call c
  join chaos_write w on w.saga_id = c.saga_id and w.epoch > c.epoch and w.at < c.begun_at - interval '100 ms'
    and split_part(w.owner, '/', 1) <> c.node
  where not exists (select 1 from saga_audit f where f.saga_id = c.saga_id and f.forced)
    and not exists (
      select 1 from chaos_pause p where p.node = c.node and p.from_at <= c.begun_at and p.to_at >= c.begun_at - interval '250 ms');

-- Retries here come 20 ms after a failure at the soonest. An operator may ask for one at once.

-- check: no retry and no deadline comes before its time
select b.saga_id, b.step || ' ' || b.phase || ' ' || b.attempt, b.begun_at - a.arrived_at as after, b.node from far_call b
  join far_call a on a.saga_id = b.saga_id and a.step = b.step and a.phase = b.phase and a.attempt = b.attempt - 1
  where b.begun_at < a.arrived_at + interval '15 ms'
    and exists (select 1 from chaos_history h where h.saga_id = a.saga_id and h.step = a.step and h.phase = a.phase
      and h.attempt = a.attempt and h.outcome = 'FAILED')
    and not exists (select 1 from saga_audit o where o.saga_id = b.saga_id)
union all
select t.saga_id, 'deadline', t.started_at - i.deadline, t.node from chaos_history t join chaos_instance i on i.saga_id = t.saga_id
  where t.outcome = 'TURNED' and t.reason = 'DEADLINE_EXCEEDED' and t.started_at < i.deadline;

-- check: every write has the next seq, or takes the next epoch
select saga_id, epoch, seq, epoch_before, seq_before from (
    select saga_id, epoch, seq, lag(epoch) over one as epoch_before, lag(seq) over one as seq_before
      from chaos_write window one as (partition by saga_id order by id)) w
  where epoch_before is not null
    and not (epoch = epoch_before and seq = seq_before + 1) and not (epoch = epoch_before + 1 and seq in (seq_before, seq_before + 1));

-- check: the history has no gap, and nothing without its write
select h.saga_id, h.seq, h.ordinal, h.step from (
    select saga_id, seq, ordinal, step, row_number() over (partition by saga_id, seq order by ordinal) as place from chaos_history) h
  where h.ordinal <> h.place - 1 or not exists (select 1 from chaos_write w where w.saga_id = h.saga_id and w.seq = h.seq);

-- A node that is lost with a probe counts as one more attempt of the action; a child ends as the attempt that started it.

-- check: attempts are counted without a gap
with lost as (select * from chaos_history where phase = 'PROBE' and outcome in ('TAKEN_OVER', 'INTERRUPTED'))
select saga_id, step, phase, attempt, place from (
    select saga_id, step, phase, attempt, seq, ordinal, row_number() over (partition by saga_id, step, phase order by seq, ordinal) as place
      from chaos_history where phase not in ('SAGA', 'PROBE') and outcome <> 'STARTED' and attempt > 0) h
  where attempt <> place + case h.phase when 'ACTION' then (
      select count(*) from lost l where l.saga_id = h.saga_id and l.step = h.step and (l.seq, l.ordinal) < (h.seq, h.ordinal)) else 0 end
    and not exists (select 1 from chaos_history r where r.saga_id = h.saga_id and r.outcome = 'RESUMED');

-- check: the last line of a saga that has ended says so
select i.saga_id, i.status, h.outcome from chaos_instance i cross join lateral (
    select l.outcome from chaos_history l where l.saga_id = i.saga_id order by l.seq desc, l.ordinal desc limit 1) h
  where (i.status in ('COMPLETED', 'COMPENSATED', 'FORCE_COMPLETED')) <> (h.outcome = 'ENDED');

-- check: what triggers forbid never happened: a row that has ended is written, epoch or seq jump, it is taken with neither, no such transition
select saga_id, what, detail from chaos_breach;

-- check: RUNNING and COMPENSATING have a due time, others have neither that nor an owner
select saga_id, status, due_at, owner from chaos_instance
  where (due_at is not null) <> (status in ('RUNNING', 'COMPENSATING')) or (status not in ('RUNNING', 'COMPENSATING') and owner is not null);

-- check: what operators were told is in the audit
select o.saga_id, o.action, o.request_key from chaos_operated o
  where not exists (select 1 from saga_audit a where a.saga_id = o.saga_id and a.action = o.action and a.request_key = o.request_key);

-- check: what only operators do has its audit row, and what the audit says was done
select i.saga_id, 'ended by force, without an audit row' from chaos_instance i
  where i.status = 'FORCE_COMPLETED' and not exists (
    select 1 from saga_audit a where a.saga_id = i.saga_id and a.action = 'force-complete')
union all
select a.saga_id, 'not ended by force, as the audit says' from saga_audit a join chaos_instance i on i.saga_id = a.saga_id
  where a.action = 'force-complete' and i.status <> 'FORCE_COMPLETED'
union all
select h.saga_id, 'resumed more often than the audit says' from chaos_history h where h.outcome = 'RESUMED'
  group by h.saga_id having count(*) > (select count(*) from saga_audit a where a.saga_id = h.saga_id)
union all
select a.saga_id, 'resumed less often than the audit says' from saga_audit a where a.action in ('retry', 'retry-compensation')
  group by a.saga_id having count(*) > (select count(*) from chaos_history h where h.saga_id = a.saga_id and h.outcome = 'RESUMED')
union all
select h.saga_id, 'turned by an operator, without an audit row' from chaos_history h
  where h.outcome = 'TURNED' and h.reason = 'OPERATOR' and not exists (
    select 1 from saga_audit a where a.saga_id = h.saga_id and a.action = 'compensate');

-- check: purged is only what has ended and is old enough, with all that is of it
select saga_id, status from chaos_old_instance where status not in ('COMPLETED', 'COMPENSATED', 'FORCE_COMPLETED')
union all
select saga_id, 'purged after ' || (deleted_at - updated_at) from chaos_old_instance 
  where deleted_at < updated_at + current_setting('chaos.purged_after')::interval
union all
select h.saga_id, 'a line of history is left' from saga_step_history h
  where not exists (select 1 from saga_instance i where i.saga_id = h.saga_id)
union all
select c.saga_id, 'a compensation is left' from saga_compensation_log c
  where not exists (select 1 from saga_instance i where i.saga_id = c.saga_id)
union all
select c.saga_id, 'purged before its parent' from chaos_old_instance c join saga_instance p on p.saga_id = c.parent_id
union all
select h.saga_id, 'its history was purged' from chaos_old_history h
  where not exists (select 1 from chaos_old_instance i where i.saga_id = h.saga_id);

-- check: the compensation log of a compensated saga says that all is done
select c.saga_id, c.step, c.status from saga_compensation_log c join saga_instance i on i.saga_id = c.saga_id
  where i.status = 'COMPENSATED' and c.status <> 'SUCCEEDED';

-- Nodes of a release end with the versions that they know, as n1_V1, n2_V1_V2; so do the keys of what they start. Code of sagas of which there are two
-- versions says itself which it is of: the word of the engine is not taken for it.

-- check: records, calls and effects are of steps of the version that the saga began with
with seen as (
  select saga_id, step, null as definition, 'recorded' as what from chaos_history where phase <> 'SAGA'
  union all select saga_id, step, definition, 'called' from far_call
  union all select saga_id, step, definition, 'counted' from chaos_counter)
select e.saga_id, i.definition, e.what, e.definition, e.step from seen e join chaos_instance i on i.saga_id = e.saga_id
  where e.definition <> i.definition
    or not exists (select 1 from chaos_step s where s.definition = i.definition and s.step = e.step);

-- check: steps succeed after those that they wait for in the version that the saga began with
with done as (
  select saga_id, step, seq, ordinal from chaos_history
    where (phase in ('ACTION', 'PROBE') and outcome = 'SUCCEEDED') or (phase = 'CONDITION' and outcome = 'SKIPPED'))
select h.saga_id, i.definition, h.step, w.step from done h
  join chaos_instance i on i.saga_id = h.saga_id
  join chaos_step s on s.definition = i.definition and s.step = h.step
  cross join unnest(s.waits_for) w(step)
  where not exists (
    select 1 from done d where d.saga_id = h.saga_id and d.step = w.step and (d.seq, d.ordinal) < (h.seq, h.ordinal));

-- check: a node takes and writes only sagas whose version it knows
select w.saga_id, i.definition, w.owner, w.epoch, w.seq from chaos_write w join chaos_instance i on i.saga_id = w.saga_id
  where i.definition like 'deployed %' and w.owner is not null
    and split_part(w.owner, '/', 1) not like '%\_V' || split_part(i.definition, ' v', 2) || '%';

-- check: a saga begins under the newest version that its node knows
select i.saga_id, i.definition, i.business_key from chaos_instance i
  where i.definition like 'deployed %' and i.business_key ~ '^[^-]*_V'
    and split_part(i.business_key, '-', 1) not like '%\_V' || split_part(i.definition, ' v', 2);

-- check: a saga of two versions that no operator has touched ends as its participants decided, or is parked after lost nodes
select i.saga_id, i.definition, i.status, i.reason from chaos_instance i
  where i.definition like 'deployed %' and not exists (select 1 from saga_audit a where a.saga_id = i.saga_id)
    and i.status <> case when exists (select 1 from far_call c where c.saga_id = i.saga_id and c.verdict = 'REJECTED')
      then 'COMPENSATED' else 'COMPLETED' end
    and not (i.status = 'FAILED'
      and exists (select 1 from chaos_history h where h.saga_id = i.saga_id and h.outcome = 'TAKEN_OVER'));

-- What is reserved is in the engine's database, with a guard's row under the step's key; the rest of what is tried is at the far ends.

-- check: stock is conserved: what is available, frozen and sold is what was there, and frozen is what is held
select s.item, s.available, s.frozen, sold.n, held.n, c.quantity from chaos_stock c
  left join saga_stock s on s.item = c.item
  cross join lateral (select coalesce(sum(r.quantity), 0) as n from saga_reservation r where r.item = c.item) held
  cross join lateral (
    select coalesce(sum((g.result::jsonb -> 'items' ->> c.item)::bigint), 0) as n from saga_guard g where g.state = 'CONFIRMED') sold
  where s.available + s.frozen + sold.n is distinct from c.quantity or s.frozen <> held.n;

-- check: after the sweep nothing is reserved
select reservation_id, item, quantity, expires_at from saga_reservation;

-- check: only what was tried is confirmed, by a saga whose tries have all succeeded, and all of them when it has completed
with confirmed as (
  select saga_id, step from far_effect where state = 'CONFIRMED'
  union all
  select i.saga_id, s.step from chaos_instance i
    join chaos_step s on s.definition = i.definition and s.kind = 'TCC'
    join saga_guard g on g.operation_id = i.saga_id || ':' || s.step and g.state = 'CONFIRMED'),
tried as (
  select i.saga_id, i.status, s.step, exists (
      select 1 from chaos_history h where h.saga_id = i.saga_id and h.step = s.step and h.phase = 'ACTION' and h.outcome = 'SUCCEEDED') as yes
    from chaos_instance i join chaos_step s on s.definition = i.definition and s.kind = 'TCC')
select c.saga_id, c.step, t.step, t.status from confirmed c join tried t on t.saga_id = c.saga_id
  where not t.yes or t.status = 'COMPENSATED'
union all
select t.saga_id, t.step, 'not confirmed', t.status from tried t
  where t.status = 'COMPLETED' and not exists (select 1 from confirmed c where c.saga_id = t.saga_id and c.step = t.step);

-- check: nobody confirms what was cancelled or never tried, or cancels what is confirmed
select key, phase, attempt, node from far_call where phase in ('CONFIRM', 'COMPENSATION') and verdict = 'REFUSED'
union all
select a.saga_id || ':' || a.step, 'both are recorded', 0, a.node from chaos_history a
  join chaos_history b on b.saga_id = a.saga_id and b.step = a.step and b.phase = 'COMPENSATION'
  where a.phase = 'CONFIRM';
