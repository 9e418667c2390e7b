-- How long workers were at a job: what `max_duration_s` bounds, whatever lies between.

ALTER TABLE jobs ADD COLUMN worked_ms BIGINT NOT NULL DEFAULT 0;
-- `worked_ms` when the time that it may take began: at its start, or when it was last retried.
ALTER TABLE jobs ADD COLUMN budget_from_ms BIGINT NOT NULL DEFAULT 0;
