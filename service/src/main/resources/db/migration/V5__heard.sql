-- The last sign of life of the attempt that executes a run, by the database's clock: a worker may live on without ever
-- having been told of the run that was given to it.
alter table run add column heard_at timestamp with time zone;
update run set heard_at = current_timestamp where state = 'RUNNING';
