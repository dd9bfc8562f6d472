-- each statement commits by itself and may run again: a migration that was killed goes on where it was
create table if not exists ${q}type (
  id int not null auto_increment primary key,
  name varchar(100) not null,
  unique key name (name)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

create table if not exists ${q}definition (
  id int not null auto_increment primary key,
  type_id int not null,
  name varchar(100) not null,
  version int not null,
  fingerprint longtext not null,
  description longtext,
  unique key name_version (name, version)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

create table if not exists ${q}instance (
  saga_id binary(16) not null primary key,
  definition_id int not null,
  type_id int not null,
  format smallint not null,
  created_at datetime(6) not null,
  deadline datetime(6),
  parent_id binary(16),
  parent_step varchar(100),
  parent_output varchar(100),
  business_key varchar(200),
  input_hash char(64) not null,
  status varchar(16) not null,
  reason varchar(40),
  owner varchar(200),
  epoch bigint not null,
  due_at datetime(6),
  seq bigint not null,
  updated_at datetime(6) not null,
  steps longtext not null,
  input longtext not null,
  headers longtext,
  unique key instance_key (type_id, business_key),
  key instance_due_at (definition_id, due_at),
  key instance_failed (status, saga_id),
  constraint ${p}instance_due check ((due_at is not null) = (status in ('RUNNING', 'COMPENSATING')))
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

create table if not exists ${q}step_history (
  saga_id binary(16) not null,
  seq bigint not null,
  ordinal int not null,
  step varchar(100) not null,
  phase varchar(16) not null,
  attempt int not null,
  outcome varchar(16) not null,
  reason varchar(40),
  result longtext,
  error_code varchar(200),
  error_text longtext,
  started_at datetime(6) not null,
  duration bigint not null,
  node varchar(100) not null,
  primary key (saga_id, seq, ordinal)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

create table if not exists ${q}compensation_log (
  saga_id binary(16) not null,
  step varchar(100) not null,
  position int not null,
  status varchar(16) not null,
  retry_count int not null,
  next_retry_at datetime(6),
  request longtext,
  response longtext,
  last_error longtext,
  created_at datetime(6) not null,
  updated_at datetime(6) not null,
  primary key (saga_id, step)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

create table if not exists ${q}signal (
  id bigint not null auto_increment,
  saga_id binary(16) not null,
  message_id varchar(200) not null,
  kind varchar(40) not null,
  reason varchar(3000) not null,
  step varchar(100),
  code varchar(200),
  result longtext,
  created_at datetime(6) not null,
  handled_at datetime(6),
  kept boolean not null default false,
  primary key (saga_id, message_id),
  unique key signal_id (id),
  key signal_new (handled_at, id)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

-- no triggers: with a binary log only an administrator may make them
create table if not exists ${q}audit (
  id bigint not null auto_increment primary key,
  saga_id binary(16) not null,
  action varchar(40) not null,
  actor varchar(200) not null,
  reason varchar(500) not null,
  forced boolean not null,
  status_before varchar(200) not null,
  status_after varchar(200) not null,
  accepted boolean not null,
  request_key varchar(200),
  node varchar(100) not null,
  created_at datetime(6) not null,
  unique key audit_request (saga_id, request_key),
  key audit_saga (saga_id, id)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

-- for participants: all from here on is of use without the tables above
create table if not exists ${q}guard (
  operation_id varchar(200) not null primary key,
  operation varchar(100) not null,
  state varchar(16) not null,
  token binary(16) not null,
  busy_until datetime(6),
  changed_at datetime(6) not null,
  result longtext,
  key guard_changed_at (changed_at)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

create table if not exists ${q}idempotency (
  request_key varchar(200) not null primary key,
  fingerprint char(64) not null,
  token binary(16) not null,
  busy_until datetime(6) not null,
  expires_at datetime(6) not null,
  result longtext,
  key idempotency_expires_at (expires_at)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

create table if not exists ${q}stock (
  item varchar(200) not null primary key,
  available bigint not null check (available >= 0),
  frozen bigint not null check (frozen >= 0)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

create table if not exists ${q}reservation (
  reservation_id varchar(200) not null,
  item varchar(200) not null,
  quantity bigint not null,
  expires_at datetime(6) not null,
  primary key (reservation_id, item),
  key reservation_expires_at (expires_at)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

-- what has rows from the start comes before the last table: a migration that was killed is done when all tables are there
create table if not exists ${q}outbox_lane (
  lane smallint not null primary key,
  owner varchar(200),
  epoch bigint not null,
  lease_until datetime(6),
  turn bigint not null
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};

insert ignore into ${q}outbox_lane (lane, epoch, turn) values (0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0), (5, 0, 0), (6, 0, 0), (7, 0, 0), (8, 0, 0), (9, 0, 0), (10, 0, 0), (11, 0, 0), (12, 0, 0), (13, 0, 0), (14, 0, 0), (15, 0, 0);

-- the columns that Debezium's outbox event router reads keep its names. A message that is sent has no lane
create table if not exists ${q}outbox (
  seq bigint not null auto_increment primary key,
  created_at datetime(6) not null,
  id binary(16) not null,
  aggregatetype varchar(100) not null,
  aggregateid varchar(200) not null,
  type varchar(200) not null,
  payload longblob,
  headers longtext,
  size int not null,
  lane smallint,
  status varchar(16) not null,
  attempts int not null,
  due_at datetime(6),
  error longtext,
  sent_at datetime(6),
  key outbox_lane_seq (lane, seq),
  key outbox_held (lane, status, aggregatetype, aggregateid),
  key outbox_sent_at (sent_at)
) engine = InnoDB row_format = dynamic default character set utf8mb4 collate ${collation};
