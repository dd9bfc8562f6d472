create table ${q}type (
  id int generated always as identity primary key,
  name varchar(100) not null unique
);

create table ${q}definition (
  id int generated always as identity primary key,
  type_id int not null,
  name varchar(100) not null,
  version int not null,
  fingerprint clob not null,
  description clob,
  unique (name, version)
);

create table ${q}instance (
  saga_id uuid primary key,
  definition_id int not null,
  type_id int not null,
  format smallint not null,
  created_at timestamp(6) with time zone not null,
  deadline timestamp(6) with time zone,
  parent_id uuid,
  parent_step varchar(100),
  parent_output varchar(100),
  business_key varchar(200),
  input_hash char(64) not null,
  status varchar(16) not null,
  reason varchar(40),
  owner varchar(200),
  epoch bigint not null,
  due_at timestamp(6) with time zone,
  seq bigint not null,
  updated_at timestamp(6) with time zone not null,
  steps clob not null,
  input clob not null,
  headers clob,
  -- not by IN or OR: H2 keeps those as a set of the session that made the table, and refuses every row when it is gone
  constraint ${p}instance_due check (
    (due_at is not null) = case status when 'RUNNING' then true when 'COMPENSATING' then true else false end
  )
);

create unique index ${p}instance_key on ${q}instance (type_id, business_key);
create index ${p}instance_due_at on ${q}instance (definition_id, due_at);
create index ${p}instance_failed on ${q}instance (status, saga_id);

create table ${q}step_history (
  saga_id uuid not null,
  seq bigint not null,
  ordinal int not null,
  step varchar(100) not null,
  phase varchar(16) not null,
  attempt int not null,
  outcome varchar(16) not null,
  reason varchar(40),
  result clob,
  error_code varchar(200),
  error_text clob,
  started_at timestamp(6) with time zone not null,
  duration bigint not null,
  node varchar(100) not null,
  primary key (saga_id, seq, ordinal)
);

create table ${q}compensation_log (
  saga_id uuid not null,
  step varchar(100) not null,
  position int not null,
  status varchar(16) not null,
  retry_count int not null,
  next_retry_at timestamp(6) with time zone,
  request clob,
  response clob,
  last_error clob,
  created_at timestamp(6) with time zone not null,
  updated_at timestamp(6) with time zone not null,
  primary key (saga_id, step)
);

create table ${q}signal (
  id bigint generated always as identity,
  saga_id uuid not null,
  message_id varchar(200) not null,
  kind varchar(40) not null,
  reason varchar(3000) not null,
  step varchar(100),
  code varchar(200),
  result clob,
  created_at timestamp(6) with time zone not null,
  handled_at timestamp(6) with time zone,
  kept boolean default false not null,
  primary key (saga_id, message_id)
);

create index ${p}signal_new on ${q}signal (handled_at, id);

-- H2 has no triggers in SQL: that nobody changes the audit is up to those who may write to it
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
  request_key varchar(200),
  node varchar(100) not null,
  created_at timestamp(6) with time zone not null,
  unique (saga_id, request_key)
);

create index ${p}audit_saga on ${q}audit (saga_id, id);

-- for participants: all from here on is of use without the tables above
create table ${q}guard (
  operation_id varchar(200) primary key,
  operation varchar(100) not null,
  state varchar(16) not null,
  token uuid not null,
  busy_until timestamp(6) with time zone,
  changed_at timestamp(6) with time zone not null,
  result clob
);

create index ${p}guard_changed_at on ${q}guard (changed_at);

create table ${q}idempotency (
  request_key varchar(200) primary key,
  fingerprint char(64) not null,
  token uuid not null,
  busy_until timestamp(6) with time zone not null,
  expires_at timestamp(6) with time zone not null,
  result clob
);

create index ${p}idempotency_expires_at on ${q}idempotency (expires_at);

create table ${q}stock (
  item varchar(200) primary key,
  available bigint not null check (available >= 0),
  frozen bigint not null check (frozen >= 0)
);

create table ${q}reservation (
  reservation_id varchar(200) not null,
  item varchar(200) not null,
  quantity bigint not null,
  expires_at timestamp(6) with time zone not null,
  primary key (reservation_id, item)
);

create index ${p}reservation_expires_at on ${q}reservation (expires_at);

-- what has rows from the start comes before the last table: a migration that was killed is done when all tables are there
create table ${q}outbox_lane (
  lane smallint primary key,
  owner varchar(200),
  epoch bigint not null,
  lease_until timestamp(6) with time zone,
  turn bigint not null
);

insert into ${q}outbox_lane (lane, epoch, turn) values
  (0, 0, 0),
  (1, 0, 0),
  (2, 0, 0),
  (3, 0, 0),
  (4, 0, 0),
  (5, 0, 0),
  (6, 0, 0),
  (7, 0, 0),
  (8, 0, 0),
  (9, 0, 0),
  (10, 0, 0),
  (11, 0, 0),
  (12, 0, 0),
  (13, 0, 0),
  (14, 0, 0),
  (15, 0, 0);

-- the columns that Debezium's outbox event router reads keep its names. A message that is sent has no lane
create table ${q}outbox (
  seq bigint generated always as identity primary key,
  created_at timestamp(6) with time zone not null,
  id uuid not null,
  aggregatetype varchar(100) not null,
  aggregateid varchar(200) not null,
  type varchar(200) not null,
  payload binary large object,
  headers clob,
  size int not null,
  lane smallint,
  status varchar(16) not null,
  attempts int not null,
  due_at timestamp(6) with time zone,
  error clob,
  sent_at timestamp(6) with time zone
);

create index ${p}outbox_lane_seq on ${q}outbox (lane, seq);
create index ${p}outbox_held on ${q}outbox (lane, status, aggregatetype, aggregateid);
create index ${p}outbox_sent_at on ${q}outbox (sent_at);

create alias if not exists ${q}clock for "java.lang.System.currentTimeMillis";
