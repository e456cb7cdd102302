package tenants

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"formonce/internal/fault"
	"formonce/internal/postgres"
	"formonce/internal/seal"
)

const (
	// DepartureFor is how long a person may take at the provider.
	DepartureFor = 10 * time.Minute
	// providerWait is how long the provider may take to answer one request of ours.
	providerWait = 10 * time.Second
)

// departurePurpose keeps anything else that was sealed in the same box from being taken for a departure.
var departurePurpose = []byte("departure")

// The refusals of a sign-in at a provider, beside those about the person.
var (
	errNoProvider = fault.New(fault.NotFound, "oidc_not_configured",
		"There is no sign-in by a provider here. Use your password or a passkey.")
	errProviderAway = fault.New(fault.Unavailable, "oidc_unavailable",
		"The provider does not answer at the moment. Try again, or sign in by another means.")
	errStateWrong = fault.New(fault.Invalid, "oidc_state_wrong",
		"This sign-in was begun in another browser, took too long, or is over already. Begin again.")
	errProviderDenied = fault.New(fault.Forbidden, "oidc_denied",
		"The provider did not let you in, or you have stopped it. Begin again, or sign in by another means.")
	errTokenRefused = fault.New(fault.Forbidden, "oidc_refused",
		"What the provider has answered cannot be trusted. Begin again; if it stays, ask the operator of the service.")
)

// ProviderOptions say where people may sign in.
type ProviderOptions struct {
	// Issuer is the provider's issuer identifier (OpenID Connect Discovery 1.0, section 4); empty for no provider.
	Issuer string
	// ClientID and ClientSecret are this service's at the provider.
	ClientID, ClientSecret string
	// Callback is where the provider sends people back to.
	Callback string
	// OpenSignUp lets people in whom nobody has invited; Closed keeps those out too who are invited and have no login yet.
	OpenSignUp, Closed bool
}

// Provider lets people in whom an OpenID provider knows, by the authorization code flow with PKCE (OpenID Connect Core 1.0,
// section 3.1; RFC 7636).
type Provider struct {
	options ProviderOptions
	db      *postgres.DB
	guard   *Guard
	signIns *SignIns
	notices Notices
	box     *seal.Box
	client  *http.Client

	// discovering guards discovered, which is nil until the provider was reached for the first time.
	discovering sync.Mutex
	discovered  *oidc.Provider
}

// NewProvider returns the sign-in at a provider, without asking the provider for anything yet.
func NewProvider(db *postgres.DB, guard *Guard, signIns *SignIns, secret []byte, options ProviderOptions) (*Provider, error) {
	box, err := seal.New(secret, "departures to a provider")
	if err != nil {
		return nil, err
	}

	return &Provider{
		options: options, db: db, guard: guard, signIns: signIns, box: box,
		client: &http.Client{Timeout: providerWait, Transport: &http.Transport{
			TLSHandshakeTimeout: providerWait, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 2, ForceAttemptHTTP2: true,
		}},
	}, nil
}

// Name is what people know the provider by: the host of its issuer. It is empty where there is none.
func (p *Provider) Name() string {
	issuer, err := url.Parse(p.options.Issuer)
	if err != nil {
		return ""
	}

	return issuer.Host
}

// Departure is a person on the way to the provider.
type Departure struct {
	// URL is the provider's page.
	URL string
	// Cookie is to be kept by the person's browser, and to be brought back within DepartureFor. Nobody else can read it.
	Cookie string
}

// Depart sends a person to the provider. Landing is where they want to be afterwards, and is given back by Arrive as it is.
// The errors are the Faults oidc_not_configured and oidc_unavailable.
func (p *Provider) Depart(ctx context.Context, landing string) (Departure, error) {
	provider, err := p.discover(ctx)
	if err != nil {
		return Departure{}, err
	}

	made := departure{
		id: uuid.New(), state: rand.Text(), nonce: rand.Text(), verifier: oauth2.GenerateVerifier(), landing: landing,
		expires: time.Now().Add(DepartureFor),
	}

	sealed, err := p.box.Seal([]byte(made.write()), departurePurpose)
	if err != nil {
		return Departure{}, err
	}

	return Departure{
		URL:    p.oauth(provider).AuthCodeURL(made.state, oidc.Nonce(made.nonce), oauth2.S256ChallengeOption(made.verifier)),
		Cookie: base64.RawURLEncoding.EncodeToString(sealed),
	}, nil
}

// discover asks the provider who it is, the first time that it is needed and until it has answered: a provider that is away
// when the service starts is no fault of the service.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	if p.options.Issuer == "" {
		return nil, errNoProvider
	}

	p.discovering.Lock()
	defer p.discovering.Unlock()

	if p.discovered != nil {
		return p.discovered, nil
	}

	// Who waited for a try that failed does not start the next one, if they have given up by then.
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.options.Issuer)
	if err != nil {
		return nil, errProviderAway.Because(err)
	}

	p.discovered = found

	return found, nil
}

func (p *Provider) oauth(provider *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.options.ClientID, ClientSecret: p.options.ClientSecret, Endpoint: provider.Endpoint(),
		RedirectURL: p.options.Callback, Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}
