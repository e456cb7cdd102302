package tenants_test

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pquerna/otp/totp"

	"github.com/google/uuid"

	"formonce/internal/fault"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

var here = tenants.Client{Address: "192.0.2.1", Network: "192.0.2.1", Agent: "a test"}

// gate is one process of the service: several of them over one database are replicas.
func gate(t *testing.T, db *postgres.DB) *tenants.Entrance {
	t.Helper()

	public, err := url.Parse("https://forms.example.com")
	if err != nil {
		t.Fatal(err)
	}

	made, err := tenants.NewEntrance(db, bytes.Repeat([]byte("s"), 32), public)
	if err != nil {
		t.Fatal(err)
	}

	return made
}

// guarded is Ada, who has a second factor.
type guarded struct {
	*testing.T

	db       *postgres.DB
	entrance *tenants.Entrance
	made     tenants.Created
	secret   string
	recovery []string
}

func withFactor(t *testing.T) *guarded {
	t.Helper()

	db := pgtest.New(t)
	g := &guarded{T: t, db: db, entrance: gate(t, db), made: create(t, tenants.NewRegistry(db), acme())}

	proposed, err := g.entrance.Factors.ProposeTOTP(t.Context(), g.made.LoginID)
	if err != nil {
		t.Fatal(err)
	}

	g.secret = proposed.Secret

	g.recovery, err = g.entrance.Factors.ConfirmTOTP(t.Context(), g.made.LoginID, g.code(), here)
	if err != nil {
		t.Fatal(err)
	}

	return g
}

// code is one that was not used yet, as far as the service knows.
func (g *guarded) code() string {
	g.Helper()

	if _, err := g.db.Pool.Exec(g.Context(), "UPDATE totp_secrets SET last_step = 0"); err != nil {
		g.Fatal(err)
	}

	code, err := totp.GenerateCode(g.secret, time.Now())
	if err != nil {
		g.Fatal(err)
	}

	return code
}

// challenge is what the right password gets.
func (g *guarded) challenge() string {
	g.Helper()

	_, err := g.entrance.SignIns.SignIn(g.Context(), acme().Email, password, here)
	if !fault.Has(err, "second_factor_required") {
		g.Fatalf("got %v", err)
	}

	challenge, _ := fault.As(err).Details["challenge"].(string)

	return challenge
}

func (g *guarded) answer(entrance *tenants.Entrance, answer tenants.FactorAnswer) error {
	_, err := entrance.Factors.Answer(g.Context(), answer, here)

	return err
}

// race lets many try at the same time, and returns how many of them got through; whoever did not has to have this code.
func race(t *testing.T, many int, refusal string, try func(i int) error) int {
	t.Helper()

	var (
		group   sync.WaitGroup
		through atomic.Int32
		begin   = make(chan struct{})
	)

	for i := range many {
		group.Go(func() {
			<-begin

			if err := try(i); err == nil {
				through.Add(1)
			} else if !fault.Has(err, refusal) {
				t.Errorf("got %v, want %s", err, refusal)
			}
		})
	}

	close(begin)
	group.Wait()

	return int(through.Load())
}

func TestACodeIsGoodOnceOnAllReplicas(t *testing.T) {
	t.Parallel()

	g := withFactor(t)
	replicas := []*tenants.Entrance{g.entrance, gate(t, g.db)}
	tries := make([]tenants.FactorAnswer, 8)

	for i := range tries {
		tries[i].Challenge = g.challenge()
	}

	code := g.code()

	through := race(t, len(tries), tenants.ErrCodeRefused.Code, func(i int) error {
		tries[i].Code = code

		return g.answer(replicas[i%2], tries[i])
	})
	if through != 1 {
		t.Errorf("one code let %d in", through)
	}
}

func TestARecoveryCodeIsGoodOnce(t *testing.T) {
	t.Parallel()

	g := withFactor(t)
	tries := make([]tenants.FactorAnswer, 8)

	for i := range tries {
		tries[i] = tenants.FactorAnswer{Challenge: g.challenge(), RecoveryCode: strings.ToUpper(g.recovery[3])}
	}

	through := race(t, len(tries), tenants.ErrCodeRefused.Code, func(i int) error { return g.answer(g.entrance, tries[i]) })
	if through != 1 {
		t.Errorf("one recovery code let %d in", through)
	}

	if left := count(t, g.db, "recovery_codes"); left != len(g.recovery)-1 {
		t.Errorf("%d codes are left", left)
	}
}

func TestAChallengeIsAnsweredOnce(t *testing.T) {
	t.Parallel()

	g := withFactor(t)
	challenge := g.challenge()

	through := race(t, 4, tenants.ErrChallengeEnded.Code, func(i int) error {
		return g.answer(g.entrance, tenants.FactorAnswer{Challenge: challenge, RecoveryCode: g.recovery[i]})
	})
	if through != 1 {
		t.Errorf("one challenge let %d in", through)
	}
}

func TestAChallengeIsTriedFiveTimes(t *testing.T) {
	t.Parallel()

	g := withFactor(t)
	challenge := g.challenge()

	for range 5 {
		err := g.answer(g.entrance, tenants.FactorAnswer{Challenge: challenge, Code: "000000"})
		if !fault.Has(err, tenants.ErrCodeRefused.Code) {
			t.Fatalf("got %v", err)
		}
	}

	err := g.answer(g.entrance, tenants.FactorAnswer{Challenge: challenge, RecoveryCode: g.recovery[0]})
	if !fault.Has(err, tenants.ErrChallengeEnded.Code) {
		t.Errorf("got %v", err)
	}
}

// TestTheLimitOfCodesHoldsOnTwoReplicas tries as somebody who knows the password, with a new challenge whenever one is over.
func TestTheLimitOfCodesHoldsOnTwoReplicas(t *testing.T) {
	t.Parallel()

	g := withFactor(t)
	replicas := []*tenants.Entrance{g.entrance, gate(t, g.db)}
	tried := 0

	for i := range 30 {
		err := g.answer(replicas[i%2], tenants.FactorAnswer{Challenge: g.challenge(), Code: "000000"})
		if fault.Has(err, "rate_limit_exceeded") {
			break
		}

		tried++
	}

	if tried != 10 {
		t.Errorf("%d codes could be tried", tried)
	}

	elsewhere := here
	elsewhere.Network = "198.51.100.7"

	_, err := g.entrance.Factors.Answer(t.Context(), tenants.FactorAnswer{Challenge: g.challenge(), Code: g.code()}, elsewhere)
	if !fault.Has(err, "rate_limit_exceeded") {
		t.Errorf("another address is not limited for the same account: %v", err)
	}
}

func TestOneSetOfRecoveryCodesIsLeft(t *testing.T) {
	t.Parallel()

	g := withFactor(t)
	proof := tenants.Proof{Password: password}

	through := race(t, 5, "none", func(int) error {
		_, err := g.entrance.Factors.RenewRecoveryCodes(t.Context(), g.made.LoginID, proof, here)
		return err
	})
	if left := count(t, g.db, "recovery_codes"); through != 5 || left != 10 {
		t.Errorf("%d sets were made and %d codes are left", through, left)
	}

	err := g.answer(g.entrance, tenants.FactorAnswer{Challenge: g.challenge(), RecoveryCode: g.recovery[0]})
	if !fault.Has(err, tenants.ErrCodeRefused.Code) {
		t.Errorf("a code of the old set: %v", err)
	}
}

func TestAGeneratorCountsOnceItIsConfirmed(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance, made := gate(t, db), create(t, tenants.NewRegistry(db), acme())

	if _, err := entrance.Factors.ProposeTOTP(t.Context(), made.LoginID); err != nil {
		t.Fatal(err)
	}

	if _, err := entrance.SignIns.SignIn(t.Context(), acme().Email, password, here); err != nil {
		t.Errorf("a generator that nobody has confirmed is asked for: %v", err)
	}

	second, err := entrance.Factors.ProposeTOTP(t.Context(), made.LoginID)
	if err != nil {
		t.Fatal(err)
	}

	code, err := totp.GenerateCode(second.Secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}

	if _, err := entrance.Factors.ConfirmTOTP(t.Context(), made.LoginID, code, here); err != nil {
		t.Fatal(err)
	}

	_, err = entrance.Factors.ProposeTOTP(t.Context(), made.LoginID)
	if !fault.Has(err, "second_factor_on") {
		t.Errorf("a generator that is on made room for another one: %v", err)
	}
}

func TestTheSecretOfAGeneratorIsSealed(t *testing.T) {
	t.Parallel()

	g := withFactor(t)

	if found := count(t, g.db, "totp_secrets WHERE position($1::bytea IN sealed_secret) > 0",
		[]byte(g.secret)); found != 0 {
		t.Error("the secret can be read in the database")
	}

	// Moved to another login it opens no more.
	other := create(t, tenants.NewRegistry(g.db), tenants.NewTenant{Name: "Beta", Email: "bob@beta.example", Password: password})
	if _, err := g.db.Pool.Exec(t.Context(), "UPDATE totp_secrets SET login_id = $1", other.LoginID); err != nil {
		t.Fatal(err)
	}

	err := g.entrance.Factors.RemoveTOTP(t.Context(), other.LoginID, tenants.Proof{Code: "000000"}, here)
	if err == nil || fault.Has(err, "confirmation_failed") {
		t.Errorf("got %v", err)
	}
}

// told remembers what people were told.
type told struct {
	sync.Mutex

	actions []string
}

func (n *told) Notify(_ context.Context, _ pgx.Tx, _ uuid.UUID, action string, _ tenants.Client) error {
	n.Lock()
	defer n.Unlock()

	n.actions = append(n.actions, action)

	return nil
}

// TestAChangeOfTheSecondFactorIsToldAndRecorded walks through all of them: the person is told, and each of their tenants
// remembers it.
func TestAChangeOfTheSecondFactorIsToldAndRecorded(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	registry, entrance, notices := tenants.NewRegistry(db), gate(t, db), &told{}
	entrance.NotifyBy(notices)

	made := create(t, registry, acme())
	create(t, registry, tenants.NewTenant{Name: "Beta", Email: acme().Email, Password: password})

	g := &guarded{T: t, db: db, entrance: entrance, made: made}

	proposed, err := entrance.Factors.ProposeTOTP(t.Context(), made.LoginID)
	if err != nil {
		t.Fatal(err)
	}

	g.secret = proposed.Secret

	if g.recovery, err = entrance.Factors.ConfirmTOTP(t.Context(), made.LoginID, g.code(), here); err != nil {
		t.Fatal(err)
	}

	if err := g.answer(entrance, tenants.FactorAnswer{Challenge: g.challenge(), RecoveryCode: g.recovery[0]}); err != nil {
		t.Fatal(err)
	}

	if _, err := entrance.Factors.RenewRecoveryCodes(t.Context(), made.LoginID, tenants.Proof{Code: g.code()}, here); err != nil {
		t.Fatal(err)
	}

	if err := entrance.Factors.RemoveTOTP(t.Context(), made.LoginID, tenants.Proof{Password: password}, here); err != nil {
		t.Fatal(err)
	}

	const want = "second_factor.enabled recovery_code.used recovery_codes.renewed second_factor.disabled"
	if got := strings.Join(notices.actions, " "); got != want {
		t.Errorf("told %q", got)
	}

	for action := range strings.FieldsSeq(want) {
		if found := count(t, db, `audit_log WHERE action = $1 AND actor_name = $2 AND address = $3`,
			action, acme().Email, here.Address); found != 2 {
			t.Errorf("%s is in the logs of %d tenants", action, found)
		}
	}

	if left := count(t, db, "recovery_codes"); left != 0 {
		t.Errorf("%d recovery codes outlived the generator", left)
	}
}

func TestWhoDoesNotProveThemselvesSwitchesNothingOff(t *testing.T) {
	t.Parallel()

	g := withFactor(t)
	used := g.code()

	if err := g.answer(g.entrance, tenants.FactorAnswer{Challenge: g.challenge(), Code: used}); err != nil {
		t.Fatal(err)
	}

	for name, proof := range map[string]tenants.Proof{
		"nothing":              {},
		"a wrong password":     {Password: "another password"},
		"a wrong code":         {Code: "000000"},
		"a code that was used": {Code: used},
		"no recovery code":     {RecoveryCode: "aaaa-aaaa-aaaa-aaaa"},
	} {
		if err := g.entrance.Factors.RemoveTOTP(t.Context(), g.made.LoginID, proof, here); !fault.Has(err, "confirmation_failed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
