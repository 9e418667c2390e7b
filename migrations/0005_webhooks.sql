-- Who is told of a job's events, how far that is, and how each delivery went.

CREATE TABLE webhooks (
    job         INTEGER NOT NULL PRIMARY KEY REFERENCES jobs (number) ON DELETE CASCADE,
    -- 0: of nothing yet, 1: of the start, 2: of the end.
    told        BIGINT  NOT NULL DEFAULT 0,
    -- Number of the last page that was told of.
    last_page   BIGINT  NOT NULL DEFAULT 0,
    -- Who tells, and until when without a sign of life.
    owner       TEXT,
    owned_until BIGINT
);
CREATE INDEX webhooks_by_work ON webhooks (job) WHERE told < 2;

CREATE TABLE deliveries (
    job       BIGINT NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    -- In the order of the events, from 1.
    number    BIGINT NOT NULL,
    event     TEXT   NOT NULL,
    -- Number of the page.
    page      BIGINT,
    delivered BIGINT NOT NULL,
    -- DeliveryAttempts as JSON.
    attempts  TEXT   NOT NULL,
    PRIMARY KEY (job, number)
) WITHOUT ROWID;
