-- Webhooks take turns: a receiver that rests holds nobody's place.
-- When the next turn may be.
ALTER TABLE webhooks ADD COLUMN not_before  BIGINT NOT NULL DEFAULT 0;
-- Events in a row that it did not take.
ALTER TABLE webhooks ADD COLUMN failures    BIGINT NOT NULL DEFAULT 0;
-- Is it told of pages? Not when it does not want them, or failed too often.
ALTER TABLE webhooks ADD COLUMN tells_pages BIGINT NOT NULL DEFAULT 1;
-- Delivery as JSON: the event that it did not take yet, with the tries so far.
ALTER TABLE webhooks ADD COLUMN under_way   TEXT;

-- The entry of the page: it stays when the page is done or read again and has another number.
ALTER TABLE deliveries ADD COLUMN entry BIGINT;
UPDATE deliveries SET entry = (SELECT entry FROM job_pages AS page
    WHERE page.job = deliveries.job AND page.number = deliveries.page);

-- When the owner last gave a sign of life: compared with itself, never with a clock.
ALTER TABLE jobs     RENAME COLUMN owned_until TO alive_at;
ALTER TABLE webhooks RENAME COLUMN owned_until TO alive_at;
