-- Quotas are counted by owner, over runs as well as jobs.
alter table run add column owner varchar(100);
update run set owner = (select j.owner from job j where j.id = run.job_id);
alter table run alter column owner set not null;
create index job_by_owner on job (owner, state);

-- A row to lock while an owner's jobs are counted and one more is let in.
create table quota_owner (
  owner varchar(100) primary key
);
