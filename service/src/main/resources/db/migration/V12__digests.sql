-- The digest of a file's content: its name where it lies outside the database, its ETag, and the proof that it is the
-- same. Files of older versions have none.
alter table artifact add column sha256 varchar(64);
