-- +goose Up
CREATE TABLE tenants (
    id         uuid        PRIMARY KEY,
    slug       text        NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{1,62}[a-z0-9]$'),
    name       text        NOT NULL CHECK (name <> ''),
    status     text        NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
    created_at timestamptz NOT NULL DEFAULT now()
);

-- A person's credential. An address is unique beyond a tenant, so it stands in a directory of its own.
CREATE TABLE logins (
    email         text        PRIMARY KEY CHECK (email = lower(email)),
    password_hash text        NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE members (
    tenant_id  uuid        NOT NULL REFERENCES tenants (id),
    id         uuid        NOT NULL,
    email      text        NOT NULL REFERENCES logins (email),
    role       text        NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, email)
);

CREATE TABLE api_keys (
    tenant_id  uuid        NOT NULL REFERENCES tenants (id),
    id         uuid        NOT NULL,
    name       text        NOT NULL,
    prefix     text        NOT NULL,
    scopes     text[]      NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);

-- Finds the tenant of a key that arrives alone. Only the SHA-256 of a key is ever stored.
CREATE TABLE api_key_hashes (
    key_hash  bytea PRIMARY KEY,
    tenant_id uuid  NOT NULL,
    key_id    uuid  NOT NULL,
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_keys (tenant_id, id) ON DELETE CASCADE
);
