-- +goose Up
-- An endpoint id is an address that the whole world shares, so it is unique beyond its tenant. changed_at tells every
-- replica what to forget from its cache. An address without a tenant was given up and is never given out again: pages
-- that still post there must not reach somebody else.
CREATE TABLE endpoint_directory (
    endpoint_id text        PRIMARY KEY CHECK (endpoint_id ~ '^[a-z0-9][a-z0-9_-]{1,62}[a-z0-9]$'),
    tenant_id   uuid        REFERENCES tenants (id),
    changed_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX endpoint_directory_changed_at ON endpoint_directory (changed_at);

CREATE TABLE endpoints (
    tenant_id                 uuid        NOT NULL REFERENCES tenants (id),
    id                        text        NOT NULL REFERENCES endpoint_directory (endpoint_id),
    name                      text        NOT NULL CHECK (name <> ''),
    allowed_origins           jsonb       NOT NULL DEFAULT '[]',
    redirect_url              text        NOT NULL DEFAULT '',
    closed                    boolean     NOT NULL DEFAULT false,
    honeypot                  text        NOT NULL DEFAULT '',
    refuse_spam               boolean     NOT NULL DEFAULT false,
    keep_client_hash          boolean     NOT NULL DEFAULT false,
    idempotency_required      boolean     NOT NULL DEFAULT false,
    idempotency_format        text        NOT NULL DEFAULT 'any' CHECK (idempotency_format IN ('any', 'uuid')),
    idempotency_order         text        NOT NULL DEFAULT 'significant'
                              CHECK (idempotency_order IN ('significant', 'ignored')),
    idempotency_replay_status integer     NOT NULL DEFAULT 202 CHECK (idempotency_replay_status IN (200, 202)),
    tombstone_days            integer     NOT NULL DEFAULT 7 CHECK (tombstone_days BETWEEN 0 AND 3650),
    created_at                timestamptz NOT NULL DEFAULT now(),
    updated_at                timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
