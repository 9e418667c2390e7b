-- Pages, their raw bodies, the page cache and the request log.
-- Portable on purpose: TEXT ids, BIGINT milliseconds since the epoch (UTC), BLOB payloads.

CREATE TABLE pages (
    id      TEXT   NOT NULL PRIMARY KEY,
    kept_at BIGINT NOT NULL,
    url     TEXT   NOT NULL,
    outcome TEXT   NOT NULL,
    code    TEXT,
    -- PageResult as JSON, zstd.
    result  BLOB   NOT NULL
);
CREATE INDEX pages_by_age ON pages (kept_at);

-- Bytes as they were read, for reading them again without fetching.
CREATE TABLE page_bodies (
    page_id      TEXT NOT NULL PRIMARY KEY REFERENCES pages (id) ON DELETE CASCADE,
    content_type TEXT,
    -- zstd.
    body         BLOB NOT NULL
);

CREATE TABLE page_cache (
    -- SHA-256 of the normalised URL and of the options that matter.
    cache_key     BLOB   NOT NULL PRIMARY KEY,
    page_id       TEXT   NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
    confirmed_at  BIGINT NOT NULL,
    etag          TEXT,
    last_modified TEXT
);
CREATE INDEX page_cache_by_page ON page_cache (page_id);

CREATE TABLE request_log (
    id          TEXT   NOT NULL PRIMARY KEY,
    received_at BIGINT NOT NULL,
    method      TEXT   NOT NULL,
    path        TEXT   NOT NULL,
    status      BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    key_label   TEXT,
    code        TEXT
);
CREATE INDEX request_log_by_age ON request_log (received_at);

-- Row counts that would be slow to count, kept in the transaction that changes them.
CREATE TABLE counters (
    name  TEXT   NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counters (name, value) VALUES ('pages', 0);
