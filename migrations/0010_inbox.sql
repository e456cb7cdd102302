-- +goose Up
-- What people have said about a submission. It stands beside the submission, whose row is lean and written once; there is
-- none until somebody says something. owed remembers that the deliveries were enqueued once already, so that a submission
-- that is set aside and taken back is not delivered again.
CREATE TABLE submission_marks (
    tenant_id     uuid        NOT NULL,
    submission_id uuid        NOT NULL,
    read_at       timestamptz,
    starred       boolean     NOT NULL DEFAULT false,
    owed          boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, submission_id),
    FOREIGN KEY (tenant_id, submission_id) REFERENCES submissions (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX submission_marks_starred ON submission_marks (tenant_id, submission_id) WHERE starred;

-- The key is the list of a tag; the index beside it has the tags of a submission, and what goes with it.
CREATE TABLE submission_tags (
    tenant_id     uuid NOT NULL,
    tag           text NOT NULL CHECK (tag <> ''),
    submission_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, tag, submission_id),
    FOREIGN KEY (tenant_id, submission_id) REFERENCES submissions (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX submission_tags_of_submission ON submission_tags (tenant_id, submission_id, tag);

-- What was done to a submission, for its timeline. It goes with the submission; the audit log stays.
CREATE TABLE submission_events (
    tenant_id     uuid        NOT NULL,
    submission_id uuid        NOT NULL,
    id            uuid        NOT NULL,
    at            timestamptz NOT NULL,
    kind          text        NOT NULL,
    actor_kind    text        NOT NULL,
    actor_name    text        NOT NULL DEFAULT '',
    tag           text        NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, submission_id, id),
    FOREIGN KEY (tenant_id, submission_id) REFERENCES submissions (tenant_id, id) ON DELETE CASCADE
);

-- The words of a submission, filled in the background. Every term begins with a mark of its tenant, so that one tenant's
-- search reads nothing of the others in the index, and a beginning of a word is looked up among its own words only.
CREATE TABLE submission_search (
    tenant_id uuid     NOT NULL,
    id        uuid     NOT NULL,
    terms     tsvector NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, id) REFERENCES submissions (tenant_id, id) ON DELETE CASCADE
);

-- A search reads what waits to be merged into the index too, so little of it may wait.
CREATE INDEX submission_search_terms ON submission_search USING gin (terms) WITH (gin_pending_list_limit = 512);

-- One row: everything that was received before this is in submission_search.
CREATE TABLE search_progress (
    single  boolean     PRIMARY KEY DEFAULT true CHECK (single),
    through timestamptz NOT NULL
);

INSERT INTO search_progress (through) VALUES ('-infinity');

ALTER TABLE search_progress ENABLE ROW LEVEL SECURITY;

CREATE INDEX submissions_received_at ON submissions USING brin (received_at)
    WITH (pages_per_range = 32, autosummarize = on);

SELECT own_rows_only(opened::regclass)
FROM unnest(ARRAY['submission_marks', 'submission_tags', 'submission_events', 'submission_search']) AS opened;

-- Returns the submissions of the transaction's tenant that match, the newest first: those from since on and before before,
-- as many as most. Under row-level security a text search may not use its index, since its operator is not known to keep
-- a row's contents to itself; this function may, and sees to the tenant itself.
--
-- A frequent word is found by walking the newest submissions, and a rare one by the index, whose matches are all read and
-- sorted. Which of the two a word is, the walk shows after each stretch. It never goes further than its budget, so neither a
-- word that nobody wrote nor one that was frequent long ago costs a walk over all that the tenant has.
-- +goose StatementBegin
CREATE FUNCTION search_submissions(wanted tsquery, since uuid, before uuid, most integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50
    SET search_path = public, pg_temp SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
    owner   CONSTANT uuid := current_tenant();
    budget  CONSTANT bigint := greatest(20000, 5::bigint * most);
    stretch integer := 500;
    walked  bigint := 0;
    ahead   bigint := 0;
    hits    bigint := 0;
    place   uuid := before;
    near    record;
BEGIN
    -- A stretch has a limit, so that it is read along the key and not sorted.
    WHILE walked = ahead LOOP
        ahead := walked + stretch;

        FOR near IN
            SELECT s.id, s.terms @@ wanted AS hit FROM submission_search AS s
            WHERE s.tenant_id = owner AND s.id >= since AND s.id < place ORDER BY s.id DESC LIMIT stretch
        LOOP
            walked := walked + 1;
            place := near.id;

            IF near.hit THEN
                hits := hits + 1;
                RETURN NEXT near.id;
                IF hits >= most THEN RETURN; END IF;
            END IF;
        END LOOP;

        EXIT WHEN walked >= budget OR hits * budget < walked * most;
        stretch := 2 * stretch;
    END LOOP;

    IF walked < ahead THEN
        RETURN;
    END IF;

    -- Planned by itself (OFFSET 0), or a plan for the first few rows would walk after all.
    RETURN QUERY SELECT f.id FROM (
            SELECT s.id FROM submission_search AS s
            WHERE s.tenant_id = owner AND s.terms @@ wanted AND s.id >= since AND s.id < place OFFSET 0
        ) AS f ORDER BY f.id DESC LIMIT most - hits;
END
$$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION search_submissions(tsquery, uuid, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_submissions(tsquery, uuid, uuid, integer) TO formonce_management;
