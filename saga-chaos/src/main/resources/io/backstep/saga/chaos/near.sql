-- Beside the engine's tables: what transactional steps count, and what triggers note of every write to the engine's rows.
create table chaos_step (
  definition text not null, -- with its version
  step text not null,
  waits_for text[] not null, -- but for best-effort ones
  kind text not null, -- TCC, SIGNAL, DELAY, CHILD, NEVER (its condition does not hold), or the engine's
  near boolean not null, -- transactional
  careful boolean not null, -- its participant knows keys
  compensated boolean not null,
  conditional boolean not null,
  probed boolean not null,
  waits_millis bigint not null, -- for so long
  primary key (definition, step)
);

create table chaos_counter (
  saga_id uuid not null,
  step text not null,
  phase text not null,
  n int not null,
  definition text, -- what the code says that it is of
  primary key (saga_id, step, phase)
);

create table chaos_stock (item text primary key, quantity bigint not null); -- before anybody reserves

create table chaos_order (business_key text primary key, saga_id uuid not null);

create table chaos_write (
  id bigint generated always as identity primary key,
  saga_id uuid not null,
  epoch bigint not null,
  seq bigint not null,
  status text not null,
  owner text,
  at timestamptz not null default clock_timestamp()
);
create index chaos_write_saga on chaos_write (saga_id, seq);

create table chaos_breach (at timestamptz not null default clock_timestamp(), saga_id uuid, what text not null, detail text);

create table chaos_old_instance (like saga_instance, deleted_at timestamptz not null);
create index chaos_old_instance_id on chaos_old_instance (saga_id);
create table chaos_old_history (like saga_step_history);
create index chaos_old_history_id on chaos_old_history (saga_id);
create table chaos_old_signal (like saga_signal);

create function chaos_instance_written() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then
    insert into chaos_old_instance select old.*, clock_timestamp();
    return null;
  end if;
  if tg_op = 'UPDATE' then
    if old.status in ('COMPLETED', 'COMPENSATED', 'FORCE_COMPLETED')
        and not (old.parent_id is not null and old.status = 'COMPLETED' and new.status in ('COMPENSATING', 'COMPENSATED')) then
      insert into chaos_breach (saga_id, what, detail) values (old.saga_id, 'a row that has ended was written', old || ' -> ' || new);
    end if;
    if new.epoch not in (old.epoch, old.epoch + 1) or new.seq not in (old.seq, old.seq + 1) then
      insert into chaos_breach (saga_id, what, detail) values (old.saga_id, 'epoch or seq jumped', old || ' -> ' || new);
    end if;
    if new.seq = old.seq and (new.status, new.reason, new.steps) is distinct from (old.status, old.reason, old.steps) then
      insert into chaos_breach (saga_id, what, detail) values (old.saga_id, 'written without a new seq', old || ' -> ' || new);
    end if;
    if new.status <> old.status and old.status || ' ' || new.status not in (
        'RUNNING COMPENSATING', 'RUNNING COMPLETED', 'RUNNING COMPENSATED', 'RUNNING FAILED', 'RUNNING FORCE_COMPLETED',
        'COMPLETED COMPENSATING', 'COMPLETED COMPENSATED', 'COMPENSATING COMPENSATED', 'COMPENSATING FAILED', 'COMPENSATING FORCE_COMPLETED',
        'FAILED RUNNING', 'FAILED COMPENSATING', 'FAILED FORCE_COMPLETED', 'FAILED COMPLETED', 'FAILED COMPENSATED') then
      insert into chaos_breach (saga_id, what, detail) values (old.saga_id, 'no such transition', old.status || ' -> ' || new.status);
    end if;
    if (new.saga_id, new.definition_id, new.business_key, new.input, new.input_hash, new.created_at)
        is distinct from (old.saga_id, old.definition_id, old.business_key, old.input, old.input_hash, old.created_at) then
      insert into chaos_breach (saga_id, what, detail) values (old.saga_id, 'what is for good was changed', old || ' -> ' || new);
    end if;
    if new.epoch = old.epoch and new.seq = old.seq then -- a renewal, or made due for mail while nobody has it
      if new.owner is distinct from old.owner or (new.owner is not null and new.updated_at <> old.updated_at) then
        insert into chaos_breach (saga_id, what, detail) values (old.saga_id, 'taken without a new epoch', old || ' -> ' || new);
      end if;
      return null;
    end if;
  end if;
  insert into chaos_write (saga_id, epoch, seq, status, owner) values (new.saga_id, new.epoch, new.seq, new.status, new.owner);
  return null;
end
$body$;

create trigger chaos_instance_written after insert or update or delete on saga_instance
  for each row execute function chaos_instance_written();

create function chaos_history_written() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then
    insert into chaos_old_history select old.*;
  else
    insert into chaos_breach (saga_id, what, detail) values (old.saga_id, 'the history was changed', old || ' -> ' || new);
  end if;
  return null;
end
$body$;

create trigger chaos_history_written after update or delete on saga_step_history
  for each row execute function chaos_history_written();

create function chaos_signal_deleted() returns trigger language plpgsql as $body$
begin
  insert into chaos_old_signal select old.*;
  return null;
end
$body$;

create trigger chaos_signal_deleted after delete on saga_signal for each row execute function chaos_signal_deleted();

-- what the processes have noted in their files, for the checks; and whatever was purged is still looked at
create table chaos_acknowledged (saga_id uuid not null, business_key text not null, node text not null);
create table chaos_rolled_back (business_key text not null, node text not null);
create table chaos_operated (saga_id uuid not null, action text not null, request_key text not null, node text not null);
create table chaos_signalled (saga_id uuid not null, message_id text not null, at timestamptz not null, node text not null);
create table chaos_pause (node text not null, from_at timestamptz not null, to_at timestamptz not null);
create index chaos_acknowledged_id on chaos_acknowledged (saga_id);

create view chaos_instance as
  select i.*, null::timestamptz as deleted_at, d.name || ' v' || d.version as definition from saga_instance i join saga_definition d on d.id = i.definition_id
  union all
  select o.*, d.name || ' v' || d.version from chaos_old_instance o join saga_definition d on d.id = o.definition_id;

-- what goes on by itself: who waits for a child that is parked, or was ended by force, does not
create view chaos_active as
  select i.* from saga_instance i where i.status in ('RUNNING', 'COMPENSATING') and not exists (
    select 1 from saga_instance c where c.parent_id = i.saga_id and c.status in ('FAILED', 'FORCE_COMPLETED'));

create view chaos_signal as select * from saga_signal union all select * from chaos_old_signal;

create view chaos_history as select * from saga_step_history union all select * from chaos_old_history;
