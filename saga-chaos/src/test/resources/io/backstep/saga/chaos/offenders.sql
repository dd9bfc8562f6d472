-- Breaks every check of checks.sql and checks-toolbox.sql: saga 1, 2, ... are offenders, each of a few checks.
insert into saga_type (name) select distinct split_part(definition, ' v', 1) from chaos_step;
insert into saga_definition (type_id, name, version, fingerprint)
  select distinct t.id, t.name, split_part(s.definition, ' v', 2)::int, ''
    from saga_type t join chaos_step s on split_part(s.definition, ' v', 1) = t.name;

create function nth(n int) returns uuid language sql as $$ select lpad(n::text, 32, '0')::uuid $$;

create function saga(n int, p_status text, p_reason text, p_key text, p_owner text,
    p_definition text default 'completing v1') returns void language sql as $$
  insert into saga_instance (saga_id, definition_id, type_id, business_key, input_hash, status, reason, steps, input, format, epoch,
      seq, owner, due_at, created_at, updated_at)
    select nth(n), d.id, d.type_id, p_key, '', p_status, p_reason, '', '', 1, 1, 0, p_owner,
        case when p_status in ('RUNNING', 'COMPENSATING') then now() end, now(), now()
      from saga_definition d where d.name || ' v' || d.version = p_definition
$$;

create function line(n int, p_seq int, p_ordinal int, p_step text, p_phase text, p_attempt int, p_outcome text)
    returns void language sql as $$
  insert into saga_step_history (saga_id, seq, ordinal, step, phase, attempt, outcome, started_at, duration, node)
    values (nth(n), p_seq, p_ordinal, p_step, p_phase, p_attempt, p_outcome, now(), 0, 'n1')
$$;

create function call(n int, p_step text, p_attempt int, p_epoch int, p_later interval) returns void language sql as $$
  insert into far_call (key, saga_id, step, phase, attempt, epoch, node, owner, begun_at, arrived_at, verdict)
    values (nth(n) || ':' || p_step, nth(n), p_step, 'ACTION', p_attempt, p_epoch, 'n1', true, now() + p_later, now() + p_later, 'FAILED')
$$;

-- neither ended nor parked; was rolled back, by a file; its key is that of one that was purged meanwhile, and had not ended either
select saga(1, 'RUNNING', null, 'rolled-back', null);
insert into chaos_old_instance select i.*, now() + interval '1 hour' from saga_instance i where saga_id = nth(1);
update chaos_old_instance set saga_id = nth(101);

-- parked for a pivot that nobody can be unsure of; in a caller's transaction without the caller's row
select saga(2, 'FAILED', 'PIVOT_UNKNOWN', '2-joined', null);

-- two successes of a step that was never called, and a call a second later
select saga(3, 'COMPLETED', null, null, 'n1');
select line(3, 0, 0, 'reserve', 'ACTION', 1, 'SUCCEEDED');
select line(3, 0, 1, 'reserve', 'ACTION', 2, 'SUCCEEDED');
select call(3, 'reserve', 3, 1, '1 s');
update saga_instance set reason = 'OPERATOR' where saga_id = nth(3);

-- two effects of one transactional step
insert into chaos_counter values (nth(4), 'book', 'ACTION', 2);

-- a key of its own, of a saga that does not exist, and two effects
insert into far_call (key, saga_id, step, phase, attempt, epoch, node, owner, begun_at, verdict)
  values ('other', nth(5), 'reserve', 'ACTION', 1, 1, 'n1', true, now(), 'APPLIED');
insert into far_effect values ('other', nth(5), 'reserve', 'DONE', 2, 0);

-- compensated, and an effect is left, one compensation had nothing to undo, and the log says that one is open
select saga(6, 'COMPENSATED', null, null, null);
insert into far_effect values (nth(6) || ':reserve', nth(6), 'reserve', 'DONE', 1, 0);
select line(6, 0, 0, 'reserve', 'COMPENSATION', 1, 'SUCCEEDED');
insert into saga_compensation_log (saga_id, step, position, status, retry_count, created_at, updated_at)
  values (nth(6), 'reserve', 0, 'PENDING', 0, now(), now());

-- undone in the order in which it was done
select saga(7, 'COMPENSATED', null, null, null);
select line(7, 0, 0, 'reserve', 'ACTION', 1, 'SUCCEEDED');
select line(7, 0, 1, 'naive-note', 'ACTION', 1, 'SUCCEEDED');
select line(7, 0, 2, 'reserve', 'COMPENSATION', 1, 'SUCCEEDED');
select line(7, 0, 3, 'naive-note', 'COMPENSATION', 1, 'SUCCEEDED');

-- turned twice; then a transactional action is recorded, and another begins
select saga(8, 'COMPENSATED', null, null, null);
select line(8, 0, 0, '', 'SAGA', 0, 'TURNED');
select line(8, 0, 1, '', 'SAGA', 0, 'TURNED');
select line(8, 0, 2, 'book', 'ACTION', 1, 'SUCCEEDED');
select call(8, 'reserve', 1, 1, '1 s');

-- called by a node from which another has taken it a second ago
select saga(9, 'COMPLETED', null, null, null);
insert into chaos_write (saga_id, epoch, seq, status, owner, at) values (nth(9), 2, 0, 'RUNNING', 'n2/1', now() - interval '1 s');
select call(9, 'reserve', 1, 1, '0 s');

-- a retry after a millisecond
select saga(10, 'COMPLETED', null, null, null);
select call(10, 'reserve', 1, 1, '0 s');
select line(10, 0, 0, 'reserve', 'ACTION', 1, 'FAILED');
select call(10, 'reserve', 2, 1, '1 ms');

-- one attempt called twice
select saga(15, 'COMPLETED', null, null, null);
select call(15, 'reserve', 1, 1, '0 s');
select call(15, 'reserve', 1, 2, '1 s');

-- a seq left out, a line left out, an attempt left out
select saga(11, 'COMPLETED', null, null, null);
insert into chaos_write (saga_id, epoch, seq, status) values (nth(11), 1, 5, 'RUNNING');
select line(11, 5, 1, 'reserve', 'ACTION', 3, 'FAILED');

-- ended by force by nobody
select saga(12, 'FORCE_COMPLETED', null, null, null);

-- what triggers forbid
select saga(13, 'COMPENSATED', null, null, null);
update saga_instance set status = 'COMPLETED' where saga_id = nth(13);
select saga(14, 'RUNNING', null, null, null);
update saga_instance set owner = 'n2/1' where saga_id = nth(14);
update saga_instance set epoch = 5 where saga_id = nth(14);
update saga_instance set input = 'another' where saga_id = nth(14);
update saga_step_history set node = 'n2' where saga_id = nth(3);

-- a saga of the first version, started and run by a node that knows only the second, by position; and it completed, though its far end had said no
select saga(16, 'COMPLETED', null, 'n1_V2-1-1', 'n1_V2/1', 'deployed v1');
select line(16, 0, 0, 'book', 'ACTION', 1, 'SUCCEEDED');
select line(16, 0, 1, 'reserve', 'ACTION', 1, 'SUCCEEDED');
select line(16, 0, 2, 'charge', 'ACTION', 1, 'SUCCEEDED');
insert into far_call (key, saga_id, step, phase, attempt, epoch, node, owner, begun_at, verdict, definition)
  values (nth(16) || ':reserve', nth(16), 'reserve', 'ACTION', 1, 1, 'n1_V2', true, now(), 'REJECTED', 'deployed v2');

-- compensated, and both of what it has tried are confirmed, one of them without a record of its try; a cancel of the other was refused
select saga(17, 'COMPENSATED', null, null, null, 'tcc v1');
select line(17, 0, 0, 'hold', 'ACTION', 1, 'SUCCEEDED');
insert into far_effect values (nth(17) || ':hold', nth(17), 'hold', 'CONFIRMED', 1, 0);
insert into far_call (key, saga_id, step, phase, attempt, epoch, node, owner, begun_at, verdict)
  values (nth(17) || ':hold', nth(17), 'hold', 'COMPENSATION', 1, 1, 'n1', true, now(), 'REFUSED');
insert into saga_guard (operation_id, operation, state, token, changed_at, result)
  values (nth(17) || ':naive-stock', 'reserve', 'CONFIRMED', nth(17), now(), '{"id":"","items":{"item-1":2}}');
insert into saga_reservation (reservation_id, item, quantity, expires_at) values ('forgotten', 'item-2', 1, now());

-- left out by its condition, and called
select saga(18, 'COMPLETED', null, null, null, 'branches v1');
select line(18, 0, 0, 'never', 'CONDITION', 1, 'SKIPPED');
select call(18, 'never', 1, 1, '0 s');

-- called a second time, and nobody has asked what came of the first
select saga(19, 'COMPLETED', null, null, null, 'probed v1');
select call(19, 'pay', 1, 1, '0 s');
select call(19, 'pay', 2, 1, '1 s');

-- its time was up at once, and it had an answer: a file says so
select saga(20, 'COMPENSATED', null, null, null, 'unanswered v1');
insert into far_call (key, saga_id, step, phase, attempt, epoch, node, owner, begun_at, verdict)
  values (nth(20) || ':reserve', nth(20), 'reserve', 'ACTION', 1, 1, 'n1', true, now(), 'APPLIED');
select line(20, 0, 0, 'answer', 'ACTION', 1, 'TIMED_OUT');

-- a child that is not there; one that nobody has started, and that was compensated though its parent has completed; undone for it all the same
select saga(21, 'COMPLETED', null, null, null, 'parent v1');
select line(21, 0, 0, 'ship', 'ACTION', 1, 'STARTED');
select saga(22, 'COMPENSATED', null, null, null, 'child v1');
select saga(23, 'COMPLETED', null, null, null, 'parent v1');
update saga_instance set parent_id = nth(23), parent_step = 'ship', parent_output = 'track' where saga_id = nth(22);
select line(22, 0, 0, '', 'SAGA', 0, 'ENDED');
select line(22, 0, 1, '', 'SAGA', 0, 'ENDED');
