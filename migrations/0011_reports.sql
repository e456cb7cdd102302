-- +goose Up
-- An endpoint that was deleted, while its submissions are still being erased in the background. Its address was given up at
-- once and is never given out again, so what stands under it can only be erased.
CREATE TABLE endpoint_erasures (
    tenant_id    uuid        NOT NULL,
    endpoint_id  text        NOT NULL REFERENCES endpoint_directory (endpoint_id),
    requested_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, endpoint_id)
);

SELECT own_rows_only('endpoint_erasures');

-- Until then nobody sees them, whatever a query asks for. The subquery is answered once for each query, from a table that
-- is nearly always empty.
ALTER POLICY own_rows ON submissions USING (tenant_id = current_tenant() AND endpoint_id NOT IN (
    SELECT e.endpoint_id FROM endpoint_erasures AS e WHERE e.tenant_id = current_tenant()));

-- Gives the address of one of the transaction's own endpoints up. The policy alone cannot allow it: a row that has no tenant
-- any more is one that the management role may not see, and so may not make by an update either.
-- +goose StatementBegin
CREATE FUNCTION give_up_address(given_up text) RETURNS void LANGUAGE sql SECURITY DEFINER
    SET search_path = public, pg_temp AS $$
    UPDATE endpoint_directory SET tenant_id = NULL, changed_at = clock_timestamp()
    WHERE endpoint_id = given_up AND tenant_id = current_tenant();
$$;
-- +goose StatementEnd

REVOKE ALL ON FUNCTION give_up_address(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION give_up_address(text) TO formonce_management;
