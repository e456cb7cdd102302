package tenants_test

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/mail"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// town is one process of the service with everything about people, over a database of its own, in which Ada owns Acme.
type town struct {
	*testing.T

	db       *postgres.DB
	entrance *tenants.Entrance
	people   *tenants.People
	registry *tenants.Registry
	made     tenants.Created
	post     *post
}

func newTown(t *testing.T) *town {
	t.Helper()

	db := pgtest.New(t)

	public, err := url.Parse("https://forms.example.com")
	if err != nil {
		t.Fatal(err)
	}

	mailbox, err := tenants.NewMailbox(db, bytes.Repeat([]byte("s"), 32), public)
	if err != nil {
		t.Fatal(err)
	}

	w := &town{T: t, db: db, entrance: gate(t, db), registry: tenants.NewRegistry(db), post: &post{delivers: true}}
	w.registry.Mailbox = mailbox
	w.people = tenants.NewPeople(db, w.entrance, mailbox)
	w.made = create(t, w.registry, acme())

	return w
}

// owner is Ada as a request names her.
func (w *town) owner() tenants.Caller {
	return tenants.Caller{
		TenantID: w.made.Tenant.ID, Status: tenants.Active, MemberID: w.made.MemberID, LoginID: w.made.LoginID,
		Role: tenants.Owner, Name: acme().Email,
	}
}

// join makes somebody a member, and returns them as a request names them.
func (w *town) join(email string, role tenants.Role) tenants.Caller {
	w.Helper()

	who := tenants.Caller{
		TenantID: w.made.Tenant.ID, Status: tenants.Active, MemberID: uuid.New(), LoginID: uuid.New(), Role: role, Name: email,
	}

	change(w.T, w.db, `INSERT INTO logins (id, email, email_verified_at) VALUES ($1, $2, now())`, who.LoginID, email)
	change(w.T, w.db, `INSERT INTO members (tenant_id, id, login_id, role) VALUES ($1, $2, $3, $4)`, who.TenantID, who.MemberID,
		who.LoginID, role)

	return who
}

// deliver sends what is due and returns it.
func (w *town) deliver() []mail.Message {
	w.Helper()

	if err := w.people.Mailbox.Send(w.Context(), w.post); err != nil {
		w.Fatal(err)
	}

	return w.post.take()
}

// link delivers and returns the token of the one link that was in the mails.
func (w *town) link() string {
	w.Helper()

	token := ""

	for _, sent := range w.deliver() {
		if _, found, is := strings.Cut(sent.Link, "token="); is {
			token = found
		}
	}

	if token == "" {
		w.Fatal("no mail has a link")
	}

	return token
}

func (w *town) must(err error) {
	w.Helper()

	if err != nil {
		w.Fatal(err)
	}
}

// post keeps the mails that it is to carry.
type post struct {
	mu       sync.Mutex
	sent     []mail.Message
	fails    error
	delivers bool
}

func (p *post) Send(_ context.Context, message mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.fails != nil {
		return p.fails
	}

	p.sent = append(p.sent, message)

	return nil
}

func (p *post) Delivers() bool { return p.delivers }

func (p *post) take() []mail.Message {
	p.mu.Lock()
	defer p.mu.Unlock()

	taken := p.sent
	p.sent = nil

	return taken
}

func TestEveryMailIsSentOnceByAllProcessesTogether(t *testing.T) {
	t.Parallel()

	const many = 20

	w := newTown(t)
	for range many {
		w.must(postgres.InTx(t.Context(), w.db.Pool, w.notify))
	}

	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { w.must(w.people.Mailbox.Send(t.Context(), w.post)) })
	}

	group.Wait()

	if sent := w.post.take(); len(sent) != many {
		t.Errorf("%d mails were sent, want %d", len(sent), many)
	}

	if n := count(t, w.db, "mails WHERE status <> 'sent' OR letter IS NOT NULL"); n != 0 {
		t.Errorf("%d mails are not done, or still have their text", n)
	}
}

func TestAMailThatFailsWaitsLongerAndKeepsItsID(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	w.must(postgres.InTx(t.Context(), w.db.Pool, w.notify))

	w.post.fails = errors.New("no answer")
	if err := w.people.Mailbox.Send(t.Context(), w.post); err == nil {
		t.Error("a failure to send was kept quiet")
	}

	if n := count(t, w.db, `mails WHERE status = 'waiting' AND attempt_count = 1 AND last_error = 'no_answer'
		AND next_attempt_at BETWEEN now() + interval '5 seconds' AND now() + interval '11 seconds'`); n != 1 {
		t.Errorf("%d mails wait for a second try, want 1", n)
	}

	w.post.fails = nil

	change(t, w.db, "UPDATE mails SET next_attempt_at = now()")

	found, err := w.people.Mailbox.List(t.Context())
	w.must(err)

	id := strings.TrimPrefix(tenants.PublicMailID(found[0].ID), "mai_")
	if sent := w.deliver(); len(sent) != 1 || sent[0].ID != id {
		t.Errorf("got %+v, want the mail with the ID of its row, %s", sent, id)
	}
}

func TestWithoutAMailServerTheOperatorCanReadTheMails(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	w.post.delivers = false
	w.must(w.people.Accounts.Forgotten(t.Context(), acme().Email, here))
	w.deliver()

	found, err := w.people.Mailbox.List(t.Context())
	w.must(err)

	if len(found) != 1 || found[0].Status != "sent" || !strings.Contains(found[0].Link, "/dashboard/reset?token=") {
		t.Errorf("got %+v", found)
	}

	if n := count(t, w.db, "mails WHERE position('token'::bytea IN letter) > 0"); n != 0 {
		t.Error("a link is stored as it is")
	}
}

func TestAForgottenPasswordOfNobodyLeavesNoTrace(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	w.must(w.people.Accounts.Forgotten(t.Context(), "nobody@example.net", here))

	if sent := w.deliver(); len(sent) != 0 || count(t, w.db, "mails") != 0 || count(t, w.db, "mail_links") != 0 {
		t.Errorf("got %+v", sent)
	}
}

func TestAResetWorksOnceAndEndsEverySession(t *testing.T) {
	t.Parallel()

	w := newTown(t)

	_, err := w.entrance.SignIns.SignIn(t.Context(), acme().Email, password, here)
	w.must(err)
	w.must(w.people.Accounts.Forgotten(t.Context(), acme().Email, here))

	token := w.link()

	if through := race(t, 4, tenants.ErrLinkEnded.Code, func(int) error {
		return w.people.Accounts.Reset(t.Context(), token, "another long sentence", here)
	}); through != 1 {
		t.Errorf("the link worked %d times", through)
	}

	if n := count(t, w.db, "sessions"); n != 0 {
		t.Errorf("%d sessions are left", n)
	}

	_, err = w.entrance.SignIns.SignIn(t.Context(), acme().Email, "another long sentence", here)
	w.must(err)

	if sent := w.deliver(); len(sent) != 1 || sent[0].Subject != "Your password was changed" {
		t.Errorf("got %+v, want a notice", sent)
	}
}

func TestALinkIsGoodForItsPurposeAndItsTimeOnly(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	w.must(w.people.Accounts.Forgotten(t.Context(), acme().Email, here))
	token := w.link()

	wantFault(t, w.people.Accounts.Verify(t.Context(), token, here), "link_ended")
	wantFault(t, w.people.Accounts.ConfirmAddress(t.Context(), token, here), "link_ended")
	change(t, w.db, "UPDATE mail_links SET expires_at = now()")
	wantFault(t, w.people.Accounts.Reset(t.Context(), token, "another long sentence", here), "link_ended")
}

func TestWhatAStrangerLeftInAnUnprovenLoginEndsWithAReset(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	stranger, err := w.registry.SignUp(t.Context(), tenants.NewTenant{Name: "X", Email: "eve@example.net", Password: password})
	w.must(err)
	w.deliver()
	change(t, w.db, `INSERT INTO identities (issuer, subject, login_id) VALUES ('https://login.example.com', 'eve', $1)`,
		stranger.LoginID)

	w.must(w.people.Accounts.Forgotten(t.Context(), "eve@example.net", here))
	w.must(w.people.Accounts.Reset(t.Context(), w.link(), "another long sentence", here))

	if n := count(t, w.db, "identities"); n != 0 {
		t.Errorf("%d ways to sign in are left to whoever did not own the address", n)
	}
}

func TestAnAddressMovesWhenTheNewOneIsProven(t *testing.T) {
	t.Parallel()

	w := newTown(t)
	proof := tenants.Proof{Password: password}
	w.must(w.people.Accounts.RequestAddress(t.Context(), w.made.LoginID, "ada@new.example", proof, here))

	token := w.link()
	w.must(w.people.Accounts.ConfirmAddress(t.Context(), token, here))

	account, err := w.people.Accounts.Get(t.Context(), w.made.LoginID)
	w.must(err)

	if account.Email != "ada@new.example" || !account.EmailVerified {
		t.Errorf("got %+v", account)
	}

	if sent := w.deliver(); len(sent) != 1 || sent[0].To != acme().Email {
		t.Errorf("got %+v, want a notice to the address before", sent)
	}
}

func (w *town) notify(tx pgx.Tx) error {
	return w.people.Mailbox.Notify(w.Context(), tx, w.made.LoginID, "password.changed", here)
}
