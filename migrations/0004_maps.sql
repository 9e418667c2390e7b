-- Maps that are handed out piece by piece; each lives an hour.

CREATE TABLE maps (
    id      TEXT   NOT NULL PRIMARY KEY,
    made_at BIGINT NOT NULL,
    -- MapResult as JSON, zstd.
    map     BLOB   NOT NULL
);
CREATE INDEX maps_by_age ON maps (made_at);
