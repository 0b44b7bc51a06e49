-- A job has a run for each platform, device list and argument set, under conditions and in orders of its own.
alter table run add column arguments text;
update run set arguments = (select j.arguments from job j where j.id = run.job_id);
alter table run alter column arguments set not null;
alter table job add column argument_sets text;
update job set argument_sets = '[' || arguments || ']';
alter table job alter column argument_sets set not null;
alter table job add column conditions text default '[]' not null;
alter table job add column schedule_seed bigint;
alter table job add column cache_lines boolean default false not null;
alter table job add column rerun_of varchar(40);
