-- The far ends of remote steps. They remember every call, and by key what they have done. Nothing of the engine's is used here.
create table far_call (
  id bigint generated always as identity primary key,
  key text not null,
  saga_id uuid not null,
  step text not null,
  phase text not null,
  attempt int not null,
  epoch bigint not null,
  node text not null,
  owner boolean not null, -- what the node believed when it called
  begun_at timestamptz not null, -- when the step's code began, in the node
  arrived_at timestamptz not null default clock_timestamp(),
  verdict text not null,
  definition text -- what the code says that it is of
);
create index far_call_saga on far_call (saga_id);

create table far_effect (
  key text primary key,
  saga_id uuid not null,
  step text not null,
  state text not null, -- DONE, CONFIRMED, UNDONE, CANCELLED (undone before it was done)
  done int not null,
  undone int not null
);
create index far_effect_saga on far_effect (saga_id);

create table far_trouble (operation text primary key, failures int not null);
create table far_healed (saga_id uuid primary key);

create function far_call(p_key text, p_saga uuid, p_step text, p_phase text, p_attempt int, p_epoch bigint, p_node text,
    p_owner boolean, p_begun timestamptz, p_mood text, p_careful boolean, p_definition text) returns text language plpgsql as $body$
declare
  said text;
  state_now text;
  times int;
begin
  if p_mood = 'REJECTS' then
    said := 'REJECTED';
  elsif p_mood = 'FAILS' and not exists (select 1 from far_healed where saga_id = p_saga) then
    said := 'FAILED';
  elsif p_mood = 'FAILS_TWICE' then
    insert into far_trouble as t values (p_key || p_phase, 1)
      on conflict (operation) do update set failures = t.failures + 1 returning failures into times;
    said := case when times <= 2 then 'FAILED' end;
  end if;
  if said is null and not p_careful then
    said := 'APPLIED'; -- a naive participant: as often as it is called
  elsif said is null and p_phase = 'ACTION' then
    insert into far_effect values (p_key, p_saga, p_step, 'DONE', 1, 0) on conflict do nothing;
    if found then
      said := 'APPLIED';
    else
      select e.state into state_now from far_effect e where e.key = p_key;
      said := case when state_now in ('DONE', 'CONFIRMED') then 'REPEATED' else 'REFUSED' end;
    end if;
  elsif said is null and p_phase = 'CONFIRM' then
    update far_effect e set state = 'CONFIRMED' where e.key = p_key and e.state = 'DONE';
    if found then
      said := 'APPLIED';
    else
      select e.state into state_now from far_effect e where e.key = p_key;
      said := case state_now when 'CONFIRMED' then 'REPEATED' else 'REFUSED' end;
    end if;
  elsif said is null then
    insert into far_effect as e values (p_key, p_saga, p_step, 'CANCELLED', 0, 0)
      on conflict (key) do update set state = 'UNDONE', undone = e.undone + 1 where e.state = 'DONE'
      returning e.state into state_now;
    if not found then
      select case e.state when 'CONFIRMED' then 'REFUSED' else 'REPEATED' end into state_now from far_effect e where e.key = p_key;
    end if;
    said := state_now;
  end if;
  insert into far_call (key, saga_id, step, phase, attempt, epoch, node, owner, begun_at, verdict, definition)
    values (p_key, p_saga, p_step, p_phase, p_attempt, p_epoch, p_node, p_owner, p_begun, said, p_definition);
  return said;
end
$body$;
