-- +goose Up
-- What a tenant is shown in. A tenant that is closing receives nothing, and everything of it is erased after the time in
-- delete_after; until then that can be undone. An operator's suspension wins over it in status, and delete_after stays.
ALTER TABLE tenants
    ADD COLUMN time_zone        text   NOT NULL DEFAULT 'UTC',
    ADD COLUMN default_language text   NOT NULL DEFAULT 'en',
    ADD COLUMN default_region   text   NOT NULL DEFAULT '' CHECK (default_region ~ '^([A-Z]{2})?$'),
    ADD COLUMN revision         bigint NOT NULL DEFAULT 1,
    ADD COLUMN delete_after     timestamptz,
    DROP CONSTRAINT tenants_status_check,
    ADD CONSTRAINT tenants_status_check CHECK (status IN ('active', 'suspended', 'closing')),
    ADD CONSTRAINT tenants_closing CHECK (status <> 'closing' OR delete_after IS NOT NULL);

CREATE INDEX tenants_delete_after ON tenants (delete_after) WHERE delete_after IS NOT NULL;

ALTER TABLE logins
    ADD COLUMN language     text NOT NULL DEFAULT 'en',
    ADD COLUMN delete_after timestamptz;

-- A tenant has to know which of its owners are about to go.
GRANT SELECT (delete_after) ON logins TO formonce_management;

CREATE INDEX logins_delete_after ON logins (delete_after) WHERE delete_after IS NOT NULL;

-- An address that was asked to join. The row goes when it has joined, or when the invitation is taken back.
CREATE TABLE invitations (
    tenant_id  uuid        NOT NULL REFERENCES tenants (id),
    id         uuid        NOT NULL,
    email      text        NOT NULL CHECK (email = lower(email)),
    role       text        NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    invited_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT invitations_email UNIQUE (tenant_id, email)
);

-- Whoever signs in for the first time by other means asks whether somebody has invited them.
CREATE INDEX invitations_of_email ON invitations (email);

SELECT own_rows_only('invitations');

-- A link in a mail works once, for one purpose, and for whom it was made: a person and the address that it was sent to, or
-- an invitation. Only the SHA-256 of its token is ever stored.
CREATE TABLE mail_links (
    token_hash    bytea       PRIMARY KEY,
    purpose       text        NOT NULL CHECK (purpose IN ('verify', 'reset', 'email', 'invitation')),
    login_id      uuid        REFERENCES logins (id) ON DELETE CASCADE,
    email         text,
    tenant_id     uuid,
    invitation_id uuid,
    expires_at    timestamptz NOT NULL,
    FOREIGN KEY (tenant_id, invitation_id) REFERENCES invitations (tenant_id, id) ON DELETE CASCADE,
    CHECK (CASE purpose WHEN 'invitation' THEN invitation_id IS NOT NULL AND tenant_id IS NOT NULL AND login_id IS NULL
        ELSE login_id IS NOT NULL AND email IS NOT NULL AND tenant_id IS NULL AND invitation_id IS NULL END)
);

CREATE INDEX mail_links_of_login ON mail_links (login_id);
CREATE INDEX mail_links_of_invitation ON mail_links (tenant_id, invitation_id);
CREATE INDEX mail_links_expires_at ON mail_links (expires_at);

SELECT own_rows_only('mail_links');

-- Mails that wait to be sent, and what became of those that were. The letter is sealed, since it may hold a link that lets
-- somebody in, and is gone once it was delivered. next_attempt_at is also the lease of whoever is sending it.
CREATE TABLE mails (
    id              uuid        PRIMARY KEY,
    tenant_id       uuid        REFERENCES tenants (id) ON DELETE CASCADE,
    login_id        uuid        REFERENCES logins (id) ON DELETE CASCADE,
    kind            text        NOT NULL,
    letter          bytea,
    status          text        NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'sent', 'dead')),
    attempt_count   integer     NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL DEFAULT now(),
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz NOT NULL,
    last_error      text        NOT NULL DEFAULT '',
    CHECK (status <> 'waiting' OR letter IS NOT NULL)
);

CREATE INDEX mails_due ON mails (next_attempt_at) WHERE status = 'waiting';
CREATE INDEX mails_created_at ON mails (created_at);
CREATE INDEX mails_of_tenant ON mails (tenant_id);
CREATE INDEX mails_of_login ON mails (login_id);

SELECT own_rows_only('mails');

-- The audit log is asked for what somebody did, and for what was done to something.
CREATE INDEX audit_log_of_actor ON audit_log (tenant_id, actor_id, id);
CREATE INDEX audit_log_of_target ON audit_log (tenant_id, target, id);
