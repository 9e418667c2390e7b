-- Jobs, the URLs they still have to do, and the pages they have.

CREATE TABLE jobs (
    -- The short key that the large tables carry.
    number      INTEGER NOT NULL PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    kind        TEXT    NOT NULL,
    status      TEXT    NOT NULL,
    url         TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    started_at  BIGINT,
    finished_at BIGINT,
    -- The body of the call, JSON, zstd.
    request     BLOB    NOT NULL,
    -- JobCounts as JSON; written in the transaction of the pages that it counts.
    counts      TEXT    NOT NULL,
    -- Number of the last page; never given twice, even when pages are done again.
    last_page   BIGINT  NOT NULL DEFAULT 0,
    -- ErrorInfo as JSON.
    error       TEXT,
    cancelling  BIGINT  NOT NULL DEFAULT 0,
    -- Whose the job is while it runs, and until when without a sign of life.
    owner       TEXT,
    owned_until BIGINT
);
CREATE INDEX jobs_by_status ON jobs (status, number);

CREATE TABLE frontier (
    job      BIGINT NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    -- In the order of discovery, from 1.
    number   BIGINT NOT NULL,
    url      TEXT   NOT NULL,
    -- Hash of the normalised URL: what makes it the same page.
    identity BIGINT NOT NULL,
    -- Hash of the host, so that hosts take turns.
    host     BIGINT NOT NULL,
    -- The smallest goes first.
    rank     BIGINT NOT NULL,
    depth    BIGINT NOT NULL,
    -- The entry whose page linked here.
    referrer BIGINT,
    done     BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (job, number)
) WITHOUT ROWID;
CREATE INDEX frontier_by_turn ON frontier (job, host, rank, number) WHERE done = 0;

CREATE TABLE job_pages (
    job         BIGINT NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    -- In the order of completion, from 1: the id of its event.
    number      BIGINT NOT NULL,
    entry       BIGINT NOT NULL,
    page_id     TEXT   NOT NULL,
    outcome     TEXT   NOT NULL,
    code        TEXT,
    http_status BIGINT,
    title       TEXT,
    -- What later pages are compared with: the identities of its final and canonical URL, and the
    -- simhash of its text.
    final_url   BIGINT,
    canonical   BIGINT,
    simhash     BIGINT,
    PRIMARY KEY (job, number)
) WITHOUT ROWID;

-- A page of a job lives as long as the job.
ALTER TABLE pages ADD COLUMN job BIGINT;

-- A key that was used to create a job answers with that job again.
CREATE TABLE idempotency_keys (
    -- SHA-256 of the caller and of the key.
    idempotency_key BLOB   NOT NULL PRIMARY KEY,
    -- SHA-256 of the body.
    body            BLOB   NOT NULL,
    job             BIGINT NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    used_at         BIGINT NOT NULL
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (used_at);
CREATE INDEX idempotency_keys_by_job ON idempotency_keys (job);
