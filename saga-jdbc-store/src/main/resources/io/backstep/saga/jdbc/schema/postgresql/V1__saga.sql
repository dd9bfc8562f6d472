create table ${q}type (
  id int generated always as identity primary key,
  name varchar(100) not null unique
);

create table ${q}definition (
  id int generated always as identity primary key,
  type_id int not null,
  name varchar(100) not null,
  version int not null,
  fingerprint text not null,
  description text,
  unique (name, version)
);

-- what each step changes stands together: the log of an update has only what is between the first and the last change
create table ${q}instance (
  saga_id uuid primary key,
  definition_id int not null,
  type_id int not null,
  format smallint not null,
  created_at timestamptz not null,
  deadline timestamptz,
  parent_id uuid,
  parent_step varchar(100),
  parent_output varchar(100),
  business_key varchar(200) collate "C",
  input_hash char(64) not null,
  status varchar(16) not null,
  reason varchar(40),
  owner varchar(200),
  epoch bigint not null,
  due_at timestamptz,
  seq bigint not null,
  updated_at timestamptz not null,
  steps text not null,
  input text not null,
  headers text,
  constraint ${p}instance_due check ((due_at is not null) = (status in ('RUNNING', 'COMPENSATING')))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

create unique index ${p}instance_key on ${q}instance (type_id, business_key) where business_key is not null;
create index ${p}instance_due_at on ${q}instance (definition_id, due_at) where due_at is not null;
create index ${p}instance_failed on ${q}instance (saga_id) where status = 'FAILED';

create table ${q}step_history (
  saga_id uuid not null,
  seq bigint not null,
  started_at timestamptz not null,
  duration bigint not null,
  ordinal int not null,
  attempt int not null,
  step varchar(100) not null,
  phase varchar(16) not null,
  outcome varchar(16) not null,
  reason varchar(40),
  result text,
  error_code varchar(200),
  error_text text,
  node varchar(100) not null,
  primary key (saga_id, seq, ordinal)
) with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 100000, autovacuum_freeze_min_age = 0);

create table ${q}compensation_log (
  saga_id uuid not null,
  step varchar(100) not null,
  position int not null,
  status varchar(16) not null,
  retry_count int not null,
  next_retry_at timestamptz,
  request text,
  response text,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (saga_id, step)
);

create table ${q}signal (
  id bigint generated always as identity,
  saga_id uuid not null,
  message_id varchar(200) collate "C" not null,
  kind varchar(40) not null,
  reason varchar(3000) not null,
  step varchar(100),
  code varchar(200),
  result text,
  created_at timestamptz not null,
  handled_at timestamptz,
  kept boolean not null default false,
  primary key (saga_id, message_id)
);

create index ${p}signal_new on ${q}signal (id) where handled_at is null;

create table ${q}audit (
  id bigint generated always as identity primary key,
  saga_id uuid not null,
  action varchar(40) not null,
  actor varchar(200) not null,
  reason varchar(500) not null,
  forced boolean not null,
  status_before varchar(200) not null,
  status_after varchar(200) not null,
  accepted boolean not null,
  request_key varchar(200) collate "C",
  node varchar(100) not null,
  created_at timestamptz not null,
  unique (saga_id, request_key)
);

create index ${p}audit_saga on ${q}audit (saga_id, id);

create function ${q}audit_grows_only() returns trigger language plpgsql as $body$
begin
  raise exception '% of % is refused: the audit only grows', lower(tg_op), tg_table_name
    using errcode = 'insufficient_privilege';
end
$body$;

create trigger ${p}audit_grows_only before update or delete or truncate on ${q}audit
  for each statement execute function ${q}audit_grows_only();

-- for participants: all from here on is of use without the tables above
create table ${q}guard (
  operation_id varchar(200) collate "C" primary key,
  operation varchar(100) not null,
  state varchar(16) not null,
  token uuid not null,
  busy_until timestamptz,
  changed_at timestamptz not null,
  result text
);

create index ${p}guard_changed_at on ${q}guard (changed_at);

create table ${q}idempotency (
  request_key varchar(200) collate "C" primary key,
  fingerprint char(64) not null,
  token uuid not null,
  busy_until timestamptz not null,
  expires_at timestamptz not null,
  result text
);

create index ${p}idempotency_expires_at on ${q}idempotency (expires_at);

create table ${q}stock (
  item varchar(200) collate "C" primary key,
  available bigint not null check (available >= 0),
  frozen bigint not null check (frozen >= 0)
);

create table ${q}reservation (
  reservation_id varchar(200) collate "C" not null,
  item varchar(200) collate "C" not null,
  quantity bigint not null,
  expires_at timestamptz not null,
  primary key (reservation_id, item)
);

create index ${p}reservation_expires_at on ${q}reservation (expires_at);

-- what has rows from the start comes before the last table: a migration that was killed is done when all tables are there
create table ${q}outbox_lane (
  lane smallint primary key,
  owner varchar(200),
  epoch bigint not null,
  lease_until timestamptz,
  turn bigint not null
) with (fillfactor = 10);

insert into ${q}outbox_lane (lane, epoch, turn)
  select lane, 0, 0 from generate_series(0, 15) lane;

-- the columns that Debezium's outbox event router reads keep its names. A message that is sent has no lane
create table ${q}outbox (
  seq bigint generated always as identity,
  created_at timestamptz not null,
  id uuid not null,
  aggregatetype varchar(100) not null,
  aggregateid varchar(200) collate "C" not null,
  type varchar(200) not null,
  payload bytea,
  headers text,
  size int not null,
  lane smallint,
  status varchar(16) not null,
  attempts int not null,
  due_at timestamptz,
  error text,
  sent_at timestamptz,
  primary key (seq, created_at)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

create index ${p}outbox_lane_seq on ${q}outbox (lane, seq) where lane is not null;
create index ${p}outbox_held on ${q}outbox (lane, aggregatetype, aggregateid) where status in ('RETRY', 'FAILED');
create index ${p}outbox_sent_at on ${q}outbox (sent_at) where sent_at is not null;
