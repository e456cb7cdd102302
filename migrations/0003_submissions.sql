-- +goose Up
-- Columns of fixed width stand first, so that no row pays for padding. There is no foreign key to endpoints: it would
-- lock, and so write, the endpoint's row at every submission.
CREATE TABLE submissions (
    tenant_id      uuid        NOT NULL,
    id             uuid        NOT NULL,
    received_at    timestamptz NOT NULL,
    schema_version integer     NOT NULL,
    rule_version   smallint    NOT NULL,
    field_count    smallint    NOT NULL,
    order_ignored  boolean     NOT NULL,
    endpoint_id    text        NOT NULL,
    family         text        NOT NULL CHECK (family IN ('form', 'json')),
    status         text        NOT NULL CHECK (status IN ('accepted', 'spam')),
    key_hash       bytea,
    fingerprint    bytea       NOT NULL,
    client_hash    bytea,
    fields         json        NOT NULL,
    reply_to       text,
    subject        text,
    language       text,
    honeypot       text,
    PRIMARY KEY (tenant_id, id)
);

CREATE UNIQUE INDEX submissions_key ON submissions (tenant_id, endpoint_id, key_hash) WHERE key_hash IS NOT NULL;

-- An id begins with its time (UUIDv7), so the order of the ids is the order of arrival and a page begins where the one
-- before ended. The primary key serves the list of a whole tenant in the same way.
CREATE INDEX submissions_inbox ON submissions (tenant_id, endpoint_id, id);

-- What was set aside is rare and is looked for among very many that were not. An accepted submission enters neither of
-- these, so it pays for neither. A query should name the status in its text: a plan that is kept for any parameter
-- cannot use them.
CREATE INDEX submissions_set_aside ON submissions (tenant_id, id) WHERE status <> 'accepted';

CREATE INDEX submissions_set_aside_inbox ON submissions (tenant_id, endpoint_id, id) WHERE status <> 'accepted';

-- One row for each duplicate that was prevented. A counter on the submission would be a row that all retries of a leaked
-- key queue up for.
CREATE TABLE replays (
    tenant_id     uuid        NOT NULL,
    submission_id uuid        NOT NULL,
    id            uuid        NOT NULL,
    replayed_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, submission_id, id),
    FOREIGN KEY (tenant_id, submission_id) REFERENCES submissions (tenant_id, id) ON DELETE CASCADE
);

-- What is left of an erased submission: the hash of its key, so that a late retry does not bring it back.
CREATE TABLE tombstones (
    tenant_id   uuid        NOT NULL,
    endpoint_id text        NOT NULL,
    key_hash    bytea       NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, endpoint_id, key_hash)
);

CREATE INDEX tombstones_expires_at ON tombstones (expires_at);
