package tenants

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ulule/limiter/v3"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

// Act is something that is limited because a stranger may try it.
type Act string

// The acts that are limited.
const (
	ActSignIn       Act = "sign_in"
	ActSignUp       Act = "sign_up"
	ActRefresh      Act = "refresh"
	ActReset        Act = "reset"         // a forgotten password, and the use of its link
	ActMail         Act = "mail"          // any other mail that a request causes
	ActSecondFactor Act = "second_factor" // codes of all kinds
	ActPasskey      Act = "passkey"       // ceremonies
	ActKeyExchange  Act = "key_exchange"
	ActCredential   Act = "credential" // a bearer credential that does not count
	ActPassword     Act = "password"   // a password that is asked for again within a session

	// A challenge is used once, and tried five times; the windows outlast it.
	actChallengeTry Act = "challenge_try"
	actChallengeUse Act = "challenge_use"
)

// allowance is what an act may cost in one window, by whom it is about and by where it comes from. Many people can share
// one address, so that its limit is the wider one.
type allowance struct {
	account, address limiter.Rate
}

var allowances = map[Act]allowance{
	ActSignIn:       {limiter.Rate{Limit: 10, Period: 15 * time.Minute}, limiter.Rate{Limit: 100, Period: 15 * time.Minute}},
	ActSignUp:       {limiter.Rate{Limit: 10, Period: time.Hour}, limiter.Rate{Limit: 100, Period: time.Hour}},
	ActRefresh:      {limiter.Rate{Limit: 60, Period: 15 * time.Minute}, limiter.Rate{Limit: 600, Period: 15 * time.Minute}},
	ActReset:        {limiter.Rate{Limit: 5, Period: time.Hour}, limiter.Rate{Limit: 30, Period: time.Hour}},
	ActMail:         {limiter.Rate{Limit: 10, Period: time.Hour}, limiter.Rate{Limit: 100, Period: time.Hour}},
	ActSecondFactor: {limiter.Rate{Limit: 10, Period: 15 * time.Minute}, limiter.Rate{Limit: 100, Period: 15 * time.Minute}},
	ActPasskey:      {limiter.Rate{Limit: 20, Period: 15 * time.Minute}, limiter.Rate{Limit: 100, Period: 15 * time.Minute}},
	ActKeyExchange:  {limiter.Rate{Limit: 60, Period: 15 * time.Minute}, limiter.Rate{Limit: 600, Period: 15 * time.Minute}},
	ActCredential:   {limiter.Rate{}, limiter.Rate{Limit: 300, Period: 15 * time.Minute}},
	ActPassword:     {limiter.Rate{Limit: 10, Period: 15 * time.Minute}, limiter.Rate{Limit: 100, Period: 15 * time.Minute}},
	actChallengeTry: {account: limiter.Rate{Limit: 5, Period: challengeFor}},
	actChallengeUse: {account: limiter.Rate{Limit: 1, Period: challengeFor}},
}

// Guard limits what strangers may try, per account and per address, for all processes together and over restarts. What it
// cannot count it refuses.
type Guard struct {
	store attemptStore
	key   macKey
}

// NewGuard returns a guard that counts in db. The secret keys the hashes under which it counts, since a plain hash of an
// address is found out by trying all of them.
func NewGuard(db *postgres.DB, secret []byte) (*Guard, error) {
	key, err := deriveKey(secret, "attempts")
	if err != nil {
		return nil, err
	}

	return &Guard{store: attemptStore{db: db}, key: key}, nil
}

// Spend counts one try at the act: against the account that it is about (an e-mail address, a public id; anything that stays
// the same) and against the address that it comes from. Either may be empty, and is not counted then. The errors are the
// Faults rate_limit_exceeded, with the time to wait, and storage_unavailable.
func (g *Guard) Spend(ctx context.Context, act Act, account, address string) error {
	if err := g.spend(ctx, act, byAddress, address); err != nil {
		return err
	}

	return g.spend(ctx, act, byAccount, account)
}

// Reset forgets what was counted against the account, after a try that succeeded. What was counted against an address stays:
// an account of one's own must not give new tries at those of others.
func (g *Guard) Reset(ctx context.Context, act Act, account string) error {
	_, err := g.store.Reset(ctx, g.bucket(act, byAccount, account), limiter.Rate{})

	return postgres.Fault("forget tries", err)
}

// Sweep removes the counters whose windows have ended.
func (g *Guard) Sweep(ctx context.Context) error {
	_, err := g.store.db.Pool.Exec(ctx, sweepAttempts)

	return postgres.Fault("remove the counters of tries", err)
}

// The two sides on which a try is counted.
const (
	byAccount = "account"
	byAddress = "address"
)

func (g *Guard) spend(ctx context.Context, act Act, side, who string) error {
	allowed, known := allowances[act]
	if !known {
		return fmt.Errorf("%s has no limit: give it one in the table", act)
	}

	rate := allowed.account
	if side == byAddress {
		rate = allowed.address
	}

	if who == "" || rate.Limit == 0 {
		return nil
	}

	// How long a refused sign-in takes must not tell that the account is locked.
	store := attemptStore{db: g.store.db, steady: act == ActSignIn && side == byAccount}

	counted, err := store.Get(ctx, g.bucket(act, side, who), rate)
	if err != nil {
		return postgres.Fault("count a try", err)
	}

	if !counted.Reached {
		return nil
	}

	return tooMany(act, side, rate, time.Until(time.Unix(counted.Reset+1, 0)))
}

// bucket is the name of a counter: an HMAC of what it counts, so that the table holds nobody's address.
func (g *Guard) bucket(act Act, side, who string) string {
	return string(g.key.of([]byte(string(act) + "\x00" + side + "\x00" + who)))
}

func tooMany(act Act, side string, rate limiter.Rate, wait time.Duration) *fault.Fault {
	seconds := max(int64(math.Ceil(min(wait, rate.Period).Seconds())), 1)

	return fault.New(fault.Limited, "rate_limit_exceeded",
		fmt.Sprintf("This was tried too often in a short time. Wait %d seconds and try again.", seconds)).
		With("scope", string(act)+"_"+side).
		With("limit", rate.Limit).
		With("window_seconds", int64(rate.Period.Seconds())).
		With("retry_after_seconds", seconds).
		After(time.Duration(seconds) * time.Second)
}

// limited says whether err is a limit that was reached, and no failure to count.
func limited(err error) bool { return fault.Has(err, "rate_limit_exceeded") }
