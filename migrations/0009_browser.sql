-- What a browser made of pages, and which hosts need one.

CREATE TABLE blobs (
    id           TEXT   NOT NULL,
    -- Copies of a page share its blobs: each lives as long as one of its pages.
    page_id      TEXT   NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
    -- screenshot (PNG) or pdf.
    kind         TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    -- As they are: pictures and PDF are compressed already.
    bytes        BLOB   NOT NULL,
    PRIMARY KEY (id, page_id)
);
CREATE INDEX blobs_by_page ON blobs (page_id);

CREATE TABLE host_rungs (
    -- Name, and the port when it is not the usual one.
    host        TEXT   NOT NULL PRIMARY KEY,
    -- 1: browser, 2: stealth.
    rung        BIGINT NOT NULL,
    known_until BIGINT NOT NULL
);
