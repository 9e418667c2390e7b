-- Number of the last page that is to be read again; a job without it does its frontier.
ALTER TABLE jobs ADD COLUMN reread_until BIGINT;
-- What its status was before, and will be again.
ALTER TABLE jobs ADD COLUMN ended_as TEXT;
