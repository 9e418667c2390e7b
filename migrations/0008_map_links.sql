-- A map's links, packed in pieces of their own, so that the next piece does not cost the whole map.

DELETE FROM maps;
CREATE TABLE map_links (
    map    TEXT   NOT NULL REFERENCES maps (id) ON DELETE CASCADE,
    -- From 0.
    number BIGINT NOT NULL,
    -- MapLinks as JSON, zstd.
    links  BLOB   NOT NULL,
    PRIMARY KEY (map, number)
);
