package forms_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/forms"
	"formonce/internal/fault"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// house is the heart of the service over a database of its own, with one tenant.
type house struct {
	*testing.T

	db        *postgres.DB
	tenant    tenants.Tenant
	directory *forms.Directory
	inbox     *forms.Inbox
	intake    *forms.Intake
}

const secret = "a secret of thirty-two characters"

// owed is an outbox that any test can count: one row for each submission that it was told of.
type owed struct{ fail error }

func (o owed) Enqueue(ctx context.Context, tx pgx.Tx, accepted *forms.Submission) error {
	if _, err := tx.Exec(ctx, "INSERT INTO owed VALUES ($1)", accepted.ID); err != nil {
		return err
	}

	return o.fail
}

func newHouse(t *testing.T) *house {
	t.Helper()

	db := pgtest.New(t)

	created, err := tenants.NewRegistry(db).Create(t.Context(),
		tenants.NewTenant{Name: "Acme", Email: "ada@acme.example", Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}

	if _, err := db.Pool.Exec(t.Context(), "CREATE TABLE owed (submission_id uuid)"); err != nil {
		t.Fatal(err)
	}

	return &house{
		T: t, db: db, tenant: created.Tenant,
		directory: forms.NewDirectory(db), inbox: forms.NewInbox(db),
		intake: forms.NewIntake(db, owed{}, forms.DefaultLimits(), []byte(secret)),
	}
}

// endpoint makes an endpoint with the id and the settings that change gives it.
func (h *house) endpoint(endpointID string, change func(*forms.Endpoint)) *forms.Endpoint {
	h.Helper()

	made := forms.NewEndpoint("Contact")
	made.ID = endpointID

	if change != nil {
		change(&made)
	}

	made, err := h.directory.Create(h.Context(), h.tenant.ID, made)
	if err != nil {
		h.Fatal(err)
	}

	return &made
}

const (
	formBody = "application/x-www-form-urlencoded"
	jsonBody = "application/json"
	aKey     = "key-0123456789abcdef"
)

// post is one request to accept a submission; the zero type is a form body.
type post struct {
	kind, body, key string
}

func (p post) incoming() forms.Incoming {
	kind := p.kind
	if kind == "" {
		kind = formBody
	}

	made := forms.Incoming{Body: forms.Body{ContentType: kind, Bytes: []byte(p.body)}, Client: "192.0.2.7"}
	if p.key != "" {
		made.KeyHeaders = []string{p.key}
	}

	return made
}

func (h *house) receive(endpoint *forms.Endpoint, p post) (forms.Receipt, error) {
	h.Helper()

	outcome, err := h.intake.Receive(h.Context(), endpoint, p.incoming())

	return outcome.Receipt, err
}

func (h *house) mustReceive(endpoint *forms.Endpoint, p post) forms.Receipt {
	h.Helper()

	receipt, err := h.receive(endpoint, p)
	if err != nil {
		h.Fatalf("%+v was refused: %v", p, err)
	}

	return receipt
}

func (h *house) count(query string, args ...any) int {
	h.Helper()

	var n int
	if err := h.db.Pool.QueryRow(h.Context(), query, args...).Scan(&n); err != nil {
		h.Fatal(err)
	}

	return n
}

func (h *house) submissions() int { return h.count("SELECT count(*) FROM submissions") }

func (h *house) stored(submissionID uuid.UUID) forms.Submission {
	h.Helper()

	found, err := h.inbox.Get(h.Context(), h.tenant.ID, submissionID)
	if err != nil {
		h.Fatal(err)
	}

	return found
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()

	if !fault.Has(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
}

// eventually asks until the answer is yes; it fails the test after the patience is used up.
func eventually(t *testing.T, patience time.Duration, what string, ask func() bool) {
	t.Helper()

	for deadline := time.Now().Add(patience); !ask(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

var errForced = errors.New("forced")
