-- Approved results. They are kept apart from the jobs they came from, which may be removed.
create table baseline (
  name varchar(100) primary key,
  owner varchar(100) not null,
  description varchar(1000) not null,
  tolerance_percent double precision not null,
  version bigint not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);

create table baseline_content (
  digest varchar(64) primary key,
  content text not null
);

create table baseline_approval (
  id varchar(40) primary key,
  baseline varchar(100) not null references baseline (name) on delete cascade,
  job_name varchar(200) not null,
  revision integer not null,
  job_id varchar(40) not null,
  labels text not null,
  digest varchar(64) not null references baseline_content (digest),
  approved_by varchar(100) not null,
  approved_at timestamp with time zone not null,
  note varchar(1000) not null,
  current_one boolean not null,
  unique (baseline, job_name, revision)
);
create index baseline_approval_current on baseline_approval (baseline, current_one);
create index baseline_approval_by_digest on baseline_approval (digest);
