-- How long workers were at a job: what `max_duration_s` bounds, whatever lies between.
ALTER TABLE jobs ADD COLUMN worked_ms BIGINT NOT NULL DEFAULT 0;
-- `worked_ms` when the time that it may take began: at its start, or when it was last retried.
ALTER TABLE jobs ADD COLUMN budget_from_ms BIGINT NOT NULL DEFAULT 0;

-- Of the body that came, after decompression: what a retry takes out of the job's counts.
ALTER TABLE job_pages ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;

-- `frontier.done` is 0 for what is to do, 1 for what is done, and 2 for what the end of the job
-- left over: it is known, and a retry does not do it.
