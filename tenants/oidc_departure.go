package tenants

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"formonce/internal/postgres"
)

// departure is what a browser keeps for us, sealed.
type departure struct {
	id                              uuid.UUID
	state, nonce, verifier, landing string
	expires                         time.Time
}

func (d *departure) write() string {
	return url.Values{
		"id": {d.id.String()}, "state": {d.state}, "nonce": {d.nonce}, "verifier": {d.verifier}, "landing": {d.landing},
		"expires": {strconv.FormatInt(d.expires.Unix(), 10)},
	}.Encode()
}

// readDeparture fails for what this program has not written, which nobody can seal.
func readDeparture(text string) (departure, error) {
	said, err := url.ParseQuery(text)
	if err != nil {
		return departure{}, fmt.Errorf("read a departure: %w", err)
	}

	departureID, err := uuid.Parse(said.Get("id"))
	if err != nil {
		return departure{}, fmt.Errorf("read a departure: %w", err)
	}

	expires, err := strconv.ParseInt(said.Get("expires"), 10, 64)
	if err != nil {
		return departure{}, fmt.Errorf("read a departure: %w", err)
	}

	return departure{
		id: departureID, state: said.Get("state"), nonce: said.Get("nonce"), verifier: said.Get("verifier"),
		landing: said.Get("landing"), expires: time.Unix(expires, 0),
	}, nil
}

// open reads what a browser has brought back, and refuses what the provider's answer does not belong to.
func (p *Provider) open(back Return) (departure, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(back.Cookie)
	if err != nil {
		return departure{}, errStateWrong
	}

	text, err := p.box.Open(sealed, departurePurpose)
	if err != nil {
		return departure{}, errStateWrong
	}

	found, err := readDeparture(string(text))
	if err != nil {
		return departure{}, err
	}

	if time.Now().After(found.expires) || subtle.ConstantTimeCompare([]byte(found.state), []byte(back.State)) != 1 {
		return departure{}, errStateWrong
	}

	return found, nil
}

// spend makes a departure count once, in whatever process the person arrives.
func (p *Provider) spend(ctx context.Context, departed departure) error {
	spent, err := p.db.Pool.Exec(ctx, insertCeremony+` ON CONFLICT (id) DO NOTHING`,
		departed.id, nil, forProvider, []byte{}, DepartureFor)
	if err != nil {
		return postgres.Fault("end a departure", err)
	}

	if spent.RowsAffected() == 0 {
		return errStateWrong
	}

	return nil
}
