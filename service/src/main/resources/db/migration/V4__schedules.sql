-- Further orders of events that each run of a job is made in.
alter table job add column schedules int not null default 0;
