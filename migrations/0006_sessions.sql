-- +goose Up
-- A person's stay, from a sign-in until it ends; then the row goes. The tenant is the one that the next access token names.
CREATE TABLE sessions (
    id         uuid        PRIMARY KEY,
    login_id   uuid        NOT NULL REFERENCES logins (id) ON DELETE CASCADE,
    tenant_id  uuid        REFERENCES tenants (id) ON DELETE SET NULL,
    method     text        NOT NULL CHECK (method <> ''),
    address    text        NOT NULL DEFAULT '',
    agent      text        NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at    timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

CREATE INDEX sessions_of_login ON sessions (login_id, created_at);
CREATE INDEX sessions_in_tenant ON sessions (tenant_id);

-- Each refresh token of a session, used ones too: one that comes back was stolen, from the person or by them. Only the
-- SHA-256 of a token is ever stored.
CREATE TABLE refresh_tokens (
    token_hash bytea       PRIMARY KEY,
    session_id uuid        NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    used_at    timestamptz
);

CREATE INDEX refresh_tokens_of_session ON refresh_tokens (session_id);

-- The keys that sign access tokens. One is published before it signs, and stays until the last token that it signed has
-- expired. The private half is sealed.
CREATE TABLE signing_keys (
    kid        text        PRIMARY KEY,
    public_key bytea       NOT NULL,
    sealed_key bytea       NOT NULL,
    signs_from timestamptz NOT NULL,
    revoked_at timestamptz
);

-- How often something was tried that is limited, by a keyed hash of who tried. It counts for every process and survives
-- a restart.
CREATE TABLE attempts_spent (
    bucket  bytea       PRIMARY KEY,
    spent   bigint      NOT NULL,
    ends_at timestamptz NOT NULL
);

CREATE INDEX attempts_spent_ends_at ON attempts_spent (ends_at);

-- Of no tenant, and nothing that the management role could have a use for.
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE refresh_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE signing_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempts_spent ENABLE ROW LEVEL SECURITY;

ALTER TABLE api_keys
    ADD COLUMN created_by   uuid,
    ADD COLUMN expires_at   timestamptz,
    ADD COLUMN last_used_at timestamptz;

-- While a key is rotated it has two secrets, of which the old one expires. An access token names the secret that it was
-- exchanged for, and ends with it.
ALTER TABLE api_key_hashes
    ADD COLUMN secret_id  uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN expires_at timestamptz;

CREATE INDEX api_key_hashes_of_key ON api_key_hashes (tenant_id, key_id);
