-- The case of a test file that made a check; null for a script that isn't one.
alter table golden_result add column test_case varchar(1000);
