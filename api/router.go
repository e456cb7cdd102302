package api

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"formonce/forms"
	"formonce/internal/edge"
	"formonce/internal/fault"
	"formonce/tenants"
)

// Prefix begins the path of every route of the table.
const Prefix = "/api/v1"

// Options are the parts that the routes ask.
type Options struct {
	Entrance  *tenants.Entrance
	People    *tenants.People
	Keys      *tenants.Keys
	Answers   *tenants.Answers
	Registry  *tenants.Registry
	Directory *forms.Directory
	Schemas   *forms.Schemas
	Inbox     *forms.Inbox
	Exporter  *forms.Exporter
	Reports   *forms.Reports
	Feed      *forms.Feed
	Limits    *edge.Limits
	// CallerRate is what one member or key may ask.
	CallerRate edge.Rate
	// StreamFor is how long a stream lasts at most; an hour when it is 0.
	StreamFor time.Duration
	// PublicURL is the origin under which the service is reached.
	PublicURL *url.URL
	// Signup is SignupOpen where strangers may make tenants.
	Signup string
}

// API answers the management routes.
type API struct {
	Options
}

// New returns the management routes over their parts.
func New(options Options) *API { return &API{Options: options} }

// route is one row of the table: what is asked for, who may ask, and who answers.
type route struct {
	method, path string
	// role is the least role of a member, scope what a key must have. A row without a scope is not for keys.
	role  tenants.Role
	scope tenants.Scope
	// open rows ask for no credential: they are where one comes from.
	open bool
	// self rows are about the person and their sign-in. Any member may ask them, in a suspended tenant and in none too.
	self bool
	// once rows honour the header Idempotency-Key. They reach the database only through transactions that join the one
	// of their context.
	once bool
	// closing rows are for a tenant that is going to be deleted too; all that only look are.
	closing bool
	// before is asked first, for what must not wait within the transaction of once.
	before func(*API, *request) error
	handle func(*API, *request) (reply, error)
}

// table is the management API. Each resource has its rows and its handlers in one file.
var table = slices.Concat(
	endpointRoutes,
	schemaRoutes,
	exportRoutes,
	streamRoutes,
	analyticsRoutes,
	snippetRoutes,
	sessionRoutes,
	keyRoutes,
	factorRoutes,
	passkeyRoutes,
	oidcRoutes,
	submissionRoutes,
	accountRoutes,
	memberRoutes,
	invitationRoutes,
	tenantRoutes,
	auditRoutes,
	// Last, since the tests that walk the table would find nothing of the endpoint behind it.
	endpointEraseRoutes,
	farewellRoutes,
)

// Routes adds the rows of the table, and the contract that describes them.
func (a *API) Routes(router gin.IRouter) {
	router.GET(Prefix+"/openapi.yaml", serveContract)
	router.GET("/api/docs", serveManual)
	router.GET("/.well-known/jwks.json", a.serveKeys)

	for _, row := range table {
		router.Handle(row.method, Prefix+row.path, a.serve(row))
	}
}

// serve is what happens to every request of the table, in this order.
func (a *API) serve(row route) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := &request{gin: c}

		for _, step := range []func(*request, route) error{a.admit, a.limitCaller, readBody, a.prepare} {
			if err := step(r, row); err != nil {
				edge.Fail(c, err)
				return
			}
		}

		answer, err := a.answer(r, row)
		if err != nil {
			edge.Fail(c, err)
			return
		}

		answer.write(c)
	}
}

// prepare is for the rows that have something to ask before anything else.
func (a *API) prepare(r *request, row route) error {
	if row.before == nil {
		return nil
	}

	return row.before(a, r)
}

// limitCaller spends from the allowance of the member or key, so that no program of one tenant slows down the others.
func (a *API) limitCaller(r *request, row route) error {
	if row.open {
		return nil
	}

	who := r.caller.LoginID
	if r.caller.IsProgram() {
		who = r.caller.KeyID
	}

	decision := a.Limits.Take(r.ctx(), "caller", a.CallerRate, who.String())
	edge.WriteLimitHeaders(r.gin.Writer.Header(), decision)

	if !decision.Allowed {
		return decision.Fault()
	}

	return nil
}

// admit finds out who asks and whether they may. A member without the role and a key without the scope learn so; that a
// thing belongs to somebody else is never said, since nothing of another tenant is ever found.
func (a *API) admit(r *request, row route) error {
	if row.open {
		return nil
	}

	caller, err := a.authenticate(r)
	if err != nil {
		return err
	}

	r.caller = caller
	edge.Annotate(r.gin, slog.Bool("program", caller.IsProgram()))

	if caller.TenantID != (uuid.UUID{}) {
		edge.IDs(r.gin).Tenant = tenants.PublicID(caller.TenantID)
	}

	actor, client := caller.Actor(), r.client()
	actor.Address, actor.Agent, actor.RequestID = client.Address, client.Agent, client.RequestID
	r.gin.Request = r.gin.Request.WithContext(tenants.WithActor(r.ctx(), actor))

	return caller.Refuse(tenants.Need{
		Role: row.role, Scope: row.scope, Self: row.self, Closing: row.closing || row.method == http.MethodGet,
	})
}

// authenticate counts what does not count, so that nobody can try credentials without end.
func (a *API) authenticate(r *request) (tenants.Caller, error) {
	bearer := r.bearer()

	caller, err := a.Entrance.Access.Authenticate(r.ctx(), bearer)
	if bearer == "" || !fault.Has(err, tenants.ErrUnauthenticated.Code) {
		return caller, err
	}

	if limited := a.Entrance.Guard.Spend(r.ctx(), tenants.ActCredential, "", r.client().Network); limited != nil {
		return tenants.Caller{}, limited
	}

	return tenants.Caller{}, err
}

// client is the program that asks, and where it is.
func (r *request) client() tenants.Client {
	address := edge.Client(r.gin)

	return tenants.Client{
		Address: address.String(), Network: edge.ClientKey(address),
		Agent: agentOf(r.gin.Request), RequestID: edge.RequestID(r.gin),
	}
}

const maxAgent = 200

// agentOf is what the client calls itself, as much of it as an audit log can use.
func agentOf(r *http.Request) string {
	agent := []rune(r.UserAgent())

	return string(agent[:min(len(agent), maxAgent)])
}
