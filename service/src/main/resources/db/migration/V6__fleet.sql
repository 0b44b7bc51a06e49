-- What a run asks for: a pool, and a number of devices instead of ids. Runs of one kind ask for the same.
alter table run add column wanted_pool varchar(60);
alter table run add column auto_devices boolean default false not null;
alter table run add column kind varchar(64) default '' not null;
-- Where it is executed; a device is known by its pool and its id.
alter table run add column pool varchar(60);
-- The worker of its last attempt was lost: the devices are tried out before the next one.
alter table run add column probe boolean default false not null;
update run set kind = id;
create index run_queue_by_platform on run (state, platform, priority desc, id);

-- When the limit of the run ends that holds the device.
alter table device_lease add column until timestamp with time zone;

alter table worker add column device_groups text default '[]' not null;
alter table worker add column slots integer default 1 not null;
alter table worker add column draining boolean default false not null;

-- Devices that get nothing new, or that have to be tried out first.
create table device_status (
  pool varchar(60) not null,
  device integer not null,
  state varchar(12) not null,
  reason varchar(500) not null,
  since timestamp with time zone not null,
  changed_by varchar(100) not null,
  primary key (pool, device)
);

-- Pools that get nothing new; the pool '*' stands for all.
create table maintenance (
  pool varchar(60) primary key,
  reason varchar(500) not null,
  since timestamp with time zone not null,
  changed_by varchar(100) not null
);

-- Each start of a run and what became of it; never changed once it has ended.
create table attempt (
  run_id varchar(40) not null references run (id) on delete cascade,
  attempt integer not null,
  worker varchar(100) not null,
  pool varchar(60) not null,
  devices text not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  outcome varchar(20),
  primary key (run_id, attempt)
);
