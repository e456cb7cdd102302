-- +goose Up
-- The management side works under a role of its own, which sees the rows of one tenant only, whatever a query forgets to
-- say. Which tenant that is, its transaction says in the setting formonce.tenant; without it there are no rows at all. A
-- role belongs to the whole server, so another database of it may have made this one already, even at this moment.
-- +goose StatementBegin
DO $$
BEGIN
    CREATE ROLE formonce_management NOLOGIN;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN NULL;
    WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'this database user may not make the role formonce_management'
            USING HINT = 'Let a superuser run: CREATE ROLE formonce_management NOLOGIN; '
                || format('GRANT formonce_management TO %I;', current_user);
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
DECLARE
    needed text := CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END;
BEGIN
    IF NOT pg_has_role(current_user, 'formonce_management', needed) THEN
        EXECUTE format('GRANT formonce_management TO %I', current_user);
    END IF;
END
$$;
-- +goose StatementEnd

CREATE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('formonce.tenant', true), '')::uuid;

-- Opens a table to the management role, as far as its rows carry the transaction's tenant. Every table with a tenant_id
-- is opened so, by the migration that makes it.
-- +goose StatementBegin
CREATE FUNCTION own_rows_only(opened regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', opened);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO formonce_management', opened);
    EXECUTE format('CREATE POLICY own_rows ON %s TO formonce_management USING (tenant_id = current_tenant())', opened);
END
$$;
-- +goose StatementEnd

SELECT own_rows_only(opened::regclass)
FROM unnest(ARRAY['members', 'api_keys', 'api_key_hashes', 'audit_log', 'answered_requests', 'endpoints', 'submissions',
    'replays', 'tombstones']) AS opened;

ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
GRANT SELECT, UPDATE ON tenants TO formonce_management;
CREATE POLICY own_rows ON tenants TO formonce_management USING (id = current_tenant());

-- Of a person the tenant sees the name and the address, never the password's hash.
ALTER TABLE logins ENABLE ROW LEVEL SECURITY;
GRANT SELECT (id, email, name, email_verified_at, created_at) ON logins TO formonce_management;
CREATE POLICY own_members ON logins FOR SELECT TO formonce_management
    USING (EXISTS (SELECT FROM members WHERE members.login_id = logins.id AND members.tenant_id = current_tenant()));

-- An address that is given up loses its tenant and stays.
ALTER TABLE endpoint_directory ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE ON endpoint_directory TO formonce_management;
CREATE POLICY own_rows ON endpoint_directory TO formonce_management USING (tenant_id = current_tenant())
    WITH CHECK (tenant_id = current_tenant() OR tenant_id IS NULL);
