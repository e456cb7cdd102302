-- +goose Up
-- The version of the schema that new submissions are accepted by; 0 is none.
ALTER TABLE endpoints ADD COLUMN schema_version integer NOT NULL DEFAULT 0 CHECK (schema_version >= 0);

-- What is being worked on. It counts for nothing until it is published; revision tells two states of it apart (ETag).
CREATE TABLE endpoint_drafts (
    tenant_id   uuid        NOT NULL,
    endpoint_id text        NOT NULL,
    revision    bigint      NOT NULL,
    schema      json        NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, endpoint_id),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES endpoints (tenant_id, id) ON DELETE CASCADE
);

-- What was published. Submissions name their version, and a retry is judged by it, so a version never changes and goes
-- only with its endpoint: by the foreign key, which works with the rights of the table's owner.
CREATE TABLE endpoint_versions (
    tenant_id    uuid        NOT NULL,
    endpoint_id  text        NOT NULL,
    version      integer     NOT NULL CHECK (version > 0),
    schema       json        NOT NULL,
    published_at timestamptz NOT NULL,
    published_by text        NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, endpoint_id, version),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES endpoints (tenant_id, id) ON DELETE CASCADE
);

-- Every key that was ever published, with what it means. A key that was removed comes back as what it was, or not at all.
CREATE TABLE endpoint_fields (
    tenant_id     uuid    NOT NULL,
    endpoint_id   text    NOT NULL,
    key           text    NOT NULL,
    type          text    NOT NULL,
    since_version integer NOT NULL,
    PRIMARY KEY (tenant_id, endpoint_id, key),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES endpoints (tenant_id, id) ON DELETE CASCADE
);

SELECT own_rows_only(opened::regclass) FROM unnest(ARRAY['endpoint_drafts', 'endpoint_versions', 'endpoint_fields']) AS opened;

REVOKE UPDATE, DELETE ON endpoint_versions, endpoint_fields FROM formonce_management;
