-- +goose Up
-- The generator of a person's one-time codes (RFC 6238). It counts once it is confirmed. The secret is sealed. A code is good
-- once: last_step is the step of the last one that was used, and only later ones count.
CREATE TABLE totp_secrets (
    login_id      uuid        PRIMARY KEY REFERENCES logins (id) ON DELETE CASCADE,
    sealed_secret bytea       NOT NULL,
    last_step     bigint      NOT NULL DEFAULT 0,
    created_at    timestamptz NOT NULL DEFAULT now(),
    confirmed_at  timestamptz
);

-- What lets a person in who has lost the generator. A keyed hash of each code, which goes with its use.
CREATE TABLE recovery_codes (
    login_id  uuid  NOT NULL REFERENCES logins (id) ON DELETE CASCADE,
    code_hash bytea NOT NULL,
    PRIMARY KEY (login_id, code_hash)
);

-- The credential records of WebAuthn: public keys of the devices that a person signs in with.
CREATE TABLE passkeys (
    id              uuid        PRIMARY KEY,
    login_id        uuid        NOT NULL REFERENCES logins (id) ON DELETE CASCADE,
    credential_id   bytea       NOT NULL UNIQUE,
    public_key      bytea       NOT NULL,
    aaguid          bytea       NOT NULL,
    sign_count      bigint      NOT NULL,
    transports      text[]      NOT NULL DEFAULT '{}',
    backup_eligible boolean     NOT NULL,
    backup_state    boolean     NOT NULL,
    name            text        NOT NULL CHECK (name <> ''),
    created_at      timestamptz NOT NULL DEFAULT now(),
    last_used_at    timestamptz
);

CREATE INDEX passkeys_of_login ON passkeys (login_id, id);

-- What the service remembers while a person is at a device or at a provider. A row is taken once, and then is gone.
CREATE TABLE ceremonies (
    id         uuid        PRIMARY KEY,
    login_id   uuid        REFERENCES logins (id) ON DELETE CASCADE,
    purpose    text        NOT NULL CHECK (purpose IN ('registration', 'sign_in', 'second_factor', 'provider')),
    state      bytea       NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX ceremonies_expires_at ON ceremonies (expires_at);
CREATE INDEX ceremonies_of_login ON ceremonies (login_id);

-- Who a person is at an OpenID provider.
CREATE TABLE identities (
    issuer       text        NOT NULL,
    subject      text        NOT NULL,
    login_id     uuid        NOT NULL REFERENCES logins (id) ON DELETE CASCADE,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject)
);

CREATE INDEX identities_of_login ON identities (login_id);

-- All of them are about persons, and none is a tenant's.
ALTER TABLE totp_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE recovery_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE passkeys ENABLE ROW LEVEL SECURITY;
ALTER TABLE ceremonies ENABLE ROW LEVEL SECURITY;
ALTER TABLE identities ENABLE ROW LEVEL SECURITY;
