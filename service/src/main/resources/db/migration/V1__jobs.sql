-- Runs on H2 (PostgreSQL mode) and PostgreSQL alike.
create table job (
  id varchar(40) primary key,
  owner varchar(100) not null,
  name varchar(200) not null,
  state varchar(10) not null,
  verdict varchar(20),
  sentence text,
  platform varchar(40) not null,
  arguments text not null,
  labels text not null,
  seed bigint not null,
  priority smallint not null,
  wall_seconds bigint not null,
  script_steps bigint not null,
  kernel_steps bigint not null,
  memory_bytes bigint not null,
  script_name varchar(200) not null,
  script_digest varchar(64) not null,
  script_bytes bigint not null,
  diagnostics text not null,
  cancel_requested boolean not null,
  version bigint not null,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone
);
create index job_by_state on job (state, id);
create index job_by_name on job (name, id);

create table job_label (
  job_id varchar(40) not null references job (id) on delete cascade,
  label_key varchar(63) not null,
  label_value varchar(200) not null,
  primary key (job_id, label_key)
);
create index job_label_by_value on job_label (label_key, label_value, job_id);

create table job_source (
  job_id varchar(40) primary key references job (id) on delete cascade,
  content bytea not null
);

create table run (
  id varchar(40) primary key,
  job_id varchar(40) not null references job (id) on delete cascade,
  place integer not null,
  platform varchar(40) not null,
  devices text not null,
  ranks integer not null,
  priority smallint not null,
  state varchar(10) not null,
  verdict varchar(20),
  sentence text,
  attempt integer not null,
  worker varchar(100),
  instance varchar(40),
  evidence text,
  failed_checks integer,
  findings integer,
  queued_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  unique (job_id, place)
);
create index run_queue on run (state, priority desc, id);

-- A device is held by one run at a time; the key makes a second lease impossible.
create table device_lease (
  pool varchar(60) not null,
  device integer not null,
  run_id varchar(40) not null references run (id) on delete cascade,
  attempt integer not null,
  acquired_at timestamp with time zone not null,
  primary key (pool, device)
);
create index device_lease_by_run on device_lease (run_id);

create table artifact (
  run_id varchar(40) not null references run (id) on delete cascade,
  name varchar(300) not null,
  media_type varchar(100) not null,
  size_bytes bigint not null,
  content bytea not null,
  primary key (run_id, name)
);

create table golden_result (
  id varchar(40) primary key,
  job_id varchar(40) not null references job (id) on delete cascade,
  run_id varchar(40) not null references run (id) on delete cascade,
  job_name varchar(200) not null,
  script_name varchar(200) not null,
  script_digest varchar(64) not null,
  platform varchar(40) not null,
  ranks integer not null,
  verdict varchar(20) not null,
  check_name varchar(1000) not null,
  kind varchar(40) not null,
  passed boolean not null,
  line integer not null,
  elements bigint not null,
  mismatches bigint not null,
  max_abs_difference double precision,
  max_at text not null,
  rtol double precision,
  atol double precision,
  explanation text not null,
  created_at timestamp with time zone not null
);
create index golden_result_by_digest on golden_result (script_digest, id);
create index golden_result_by_name on golden_result (job_name, id);
create index golden_result_by_job on golden_result (job_id);

create table idempotency_key (
  owner varchar(100) not null,
  idem_key varchar(255) not null,
  submission_digest varchar(64) not null,
  job_id varchar(40) not null references job (id) on delete cascade,
  created_at timestamp with time zone not null,
  primary key (owner, idem_key)
);
create index idempotency_key_by_age on idempotency_key (created_at);
create index idempotency_key_by_job on idempotency_key (job_id);

-- Processes that run jobs, with the time of their last sign of life.
create table service_instance (
  id varchar(40) primary key,
  started_at timestamp with time zone not null,
  heartbeat_at timestamp with time zone not null
);
