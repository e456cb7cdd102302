package forms_test

import (
	"testing"
	"time"
)

// A batch in which another erasure was faster is not the last one.
func TestATenantIsErasedWholeWhileSubmissionsAreErasedElsewhere(t *testing.T) {
	h := newHouse(t)
	first := h.mustReceive(h.endpoint("", nil), post{body: "a=1", key: aKey})
	h.copies(first.SubmissionID.String(), 5_100)

	held, err := h.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = held.Rollback(t.Context()) }()

	if _, err := held.Exec(t.Context(), "DELETE FROM submissions WHERE id = $1", first.SubmissionID); err != nil {
		t.Fatal(err)
	}

	erased := make(chan error, 1)

	go func() { erased <- h.directory.EraseTenant(h.Context(), h.tenant.ID) }()

	eventually(t, 3*time.Second, "the eraser waits", h.waiting)

	if err := held.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}

	if err := <-erased; err != nil {
		t.Fatal(err)
	}

	if n := h.submissions(); n != 0 {
		t.Fatalf("%d submissions are left of a tenant that is gone", n)
	}
}

// The retry began before the erasure was committed, so only a look after the insertion sees the tombstone.
func TestARetryThatWaitedForAnErasureIsRefused(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	receipt := h.mustReceive(endpoint, post{body: "a=1", key: aKey})

	erasing, err := h.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = erasing.Rollback(t.Context()) }()

	_, err = erasing.Exec(t.Context(), `
WITH erased AS (DELETE FROM submissions WHERE id = $1 RETURNING tenant_id, endpoint_id, key_hash)
INSERT INTO tombstones (tenant_id, endpoint_id, key_hash, expires_at)
SELECT tenant_id, endpoint_id, key_hash, now() + interval '7 days' FROM erased`, receipt.SubmissionID)
	if err != nil {
		t.Fatal(err)
	}

	answers := make(chan error, 3)

	for range cap(answers) {
		go func() {
			_, err := h.receive(endpoint, post{body: "a=1", key: aKey})
			answers <- err
		}()
	}

	eventually(t, 3*time.Second, "all retries wait", func() bool { return h.waiters() == cap(answers) })

	if err := erasing.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}

	for range cap(answers) {
		wantCode(t, <-answers, "submission_deleted")
	}

	if h.submissions() != 0 {
		t.Fatal("it is back")
	}
}

// copies stores as many later submissions that are like this one but for the key.
func (h *house) copies(submissionID string, n int) {
	h.Helper()

	_, err := h.db.Pool.Exec(h.Context(), `
INSERT INTO submissions (tenant_id, id, received_at, schema_version, rule_version, field_count, order_ignored,
    endpoint_id, family, status, fingerprint, fields)
SELECT tenant_id, ('ffffffff' || substr(gen_random_uuid()::text, 9))::uuid, received_at, schema_version, rule_version,
    field_count, order_ignored, endpoint_id, family, status, fingerprint, fields
FROM submissions, generate_series(1, $2) WHERE id = $1`, submissionID, n)
	if err != nil {
		h.Fatal(err)
	}
}
