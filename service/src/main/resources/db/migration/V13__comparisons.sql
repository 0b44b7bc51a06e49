-- What came out when a job's runs on other platforms were held against those on its first; null before it has ended, and
-- for jobs of older versions.
alter table job add column comparisons text;
