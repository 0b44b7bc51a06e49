-- A worker's id is longer than that of a process of the service.
alter table service_instance alter column id set data type varchar(43);
alter table run alter column instance set data type varchar(43);

-- A worker process elsewhere. Its signs of life are in service_instance, as those of the service's own processes;
-- whoever falls silent there is forgotten here.
create table worker (
  id varchar(43) primary key references service_instance (id) on delete cascade,
  name varchar(100) not null,
  pool varchar(60) not null,
  platforms text not null,
  devices text not null,
  version varchar(60) not null,
  registered_at timestamp with time zone not null
);

-- The secret that goes with an attempt: who doesn't know it can't speak for the run.
alter table run add column lease_id varchar(42);
create index run_by_instance on run (instance, state);

-- What a run that is executed elsewhere has said so far.
create table run_progress (
  run_id varchar(40) primary key references run (id) on delete cascade,
  attempt integer not null,
  phase varchar(100) not null,
  log text not null
);
