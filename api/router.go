package api

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"formonce/forms"
	"formonce/internal/edge"
	"formonce/tenants"
)

// Prefix begins the path of every route of the table.
const Prefix = "/api/v1"

// Options are the parts that the routes ask.
type Options struct {
	Access    *tenants.Access
	Answers   *tenants.Answers
	Registry  *tenants.Registry
	Directory *forms.Directory
	Inbox     *forms.Inbox
	Limits    *edge.Limits
	// CallerRate is what one member or key may ask.
	CallerRate edge.Rate
	// PublicURL is the origin under which the service is reached.
	PublicURL *url.URL
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
	// once rows honour the header Idempotency-Key. They reach the database only through transactions that join the one
	// of their context.
	once   bool
	handle func(*API, *request) (reply, error)
}

// table is the management API. Each resource has its rows and its handlers in one file.
var table = slices.Concat(
	endpointRoutes,
)

// Routes adds the rows of the table, and the contract that describes them.
func (a *API) Routes(router gin.IRouter) {
	router.GET(Prefix+"/openapi.yaml", serveContract)
	router.GET("/api/docs", serveManual)

	for _, row := range table {
		router.Handle(row.method, Prefix+row.path, a.serve(row))
	}
}

// serve is what happens to every request of the table, in this order.
func (a *API) serve(row route) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := &request{gin: c}

		for _, step := range []func(*request, route) error{a.admit, a.limitCaller, readBody} {
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

// limitCaller spends from the allowance of the member or key, so that no program of one tenant slows down the others.
func (a *API) limitCaller(r *request, row route) error {
	if row.open {
		return nil
	}

	who := r.caller.MemberID
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

	caller, err := a.Access.Authenticate(r.ctx(), r.bearer())
	if err != nil {
		return err
	}

	r.caller = caller
	edge.IDs(r.gin).Tenant = tenants.PublicID(caller.TenantID)
	edge.Annotate(r.gin, slog.Bool("program", caller.IsProgram()))

	actor := caller.Actor()
	actor.Address, actor.Agent = edge.Client(r.gin).String(), agentOf(r.gin.Request)
	actor.RequestID = edge.RequestID(r.gin)
	r.gin.Request = r.gin.Request.WithContext(tenants.WithActor(r.ctx(), actor))

	return caller.Refuse(tenants.Need{Role: row.role, Scope: row.scope})
}

const maxAgent = 200

// agentOf is what the client calls itself, as much of it as an audit log can use.
func agentOf(r *http.Request) string {
	agent := []rune(r.UserAgent())

	return string(agent[:min(len(agent), maxAgent)])
}
