-- +goose Up
-- A person is known by an id, so that an address can change. One who signs in by other means has no password.
ALTER TABLE logins
    ADD COLUMN id                uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    ADD COLUMN name              text NOT NULL DEFAULT '',
    ADD COLUMN email_verified_at timestamptz,
    ALTER COLUMN password_hash DROP NOT NULL;

ALTER TABLE members ADD COLUMN login_id uuid REFERENCES logins (id);

UPDATE members SET login_id = logins.id FROM logins WHERE logins.email = members.email;

ALTER TABLE members
    ALTER COLUMN login_id SET NOT NULL,
    DROP COLUMN email,
    ADD CONSTRAINT members_login UNIQUE (tenant_id, login_id);

-- A person's tenants are asked for at every sign-in.
CREATE INDEX members_of_login ON members (login_id);

-- Who changed what, and from where. Written in the transaction of the change itself, and never updated.
CREATE TABLE audit_log (
    tenant_id  uuid        NOT NULL REFERENCES tenants (id),
    id         uuid        NOT NULL,
    at         timestamptz NOT NULL,
    actor_kind text        NOT NULL CHECK (actor_kind IN ('member', 'api_key', 'operator', 'system')),
    actor_id   uuid,
    actor_name text        NOT NULL DEFAULT '',
    action     text        NOT NULL,
    target     text        NOT NULL DEFAULT '',
    changes    jsonb       NOT NULL DEFAULT '{}',
    address    text        NOT NULL DEFAULT '',
    agent      text        NOT NULL DEFAULT '',
    request_id text        NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, id)
);

-- The answers to creating requests that named an idempotency key, so that a retry gets the first answer. Sealed, since
-- some of them hold a secret that is shown once.
CREATE TABLE answered_requests (
    tenant_id    uuid        NOT NULL REFERENCES tenants (id),
    key_hash     bytea       NOT NULL,
    request_hash bytea       NOT NULL,
    status       integer     NOT NULL,
    answer       bytea       NOT NULL,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, key_hash)
);

CREATE INDEX answered_requests_expires_at ON answered_requests (expires_at);

-- revision tells two versions of the settings apart (ETag); it grows with each change.
ALTER TABLE endpoints
    ADD COLUMN revision       bigint  NOT NULL DEFAULT 1,
    ADD COLUMN retention_days integer CHECK (retention_days BETWEEN 1 AND 3650);
