// Package web is what visitors meet: the public endpoints that take submissions, and the few pages around them.
package web

import (
	"net/url"

	"github.com/gin-gonic/gin"

	"formonce/forms"
	"formonce/internal/edge"
)

// Options are the parts that the visitors' routes stand on.
type Options struct {
	Lookup *forms.Lookup
	Intake *forms.Intake
	Limits *edge.Limits
	// ClientRate bounds one client address over all endpoints, EndpointRate one endpoint over all clients.
	ClientRate   edge.Rate
	EndpointRate edge.Rate
	// MaxBody is the largest body in bytes.
	MaxBody int64
	// PublicURL is where visitors reach the service, without a path.
	PublicURL *url.URL
}

// Visitors answers the public routes.
type Visitors struct {
	Options

	origin string
}

// New returns the visitors' routes over their parts.
func New(options Options) *Visitors {
	return &Visitors{Options: options, origin: originOf(options.PublicURL)}
}

// Routes adds the public routes. The order of the steps of a submission is part of the public contract.
func (v *Visitors) Routes(router gin.IRouter) {
	for _, address := range []string{"/f/:endpoint", "/p/:tenant/f/:endpoint"} {
		router.POST(address,
			v.openToScripts,
			v.readBody,
			v.limitClient,
			v.findEndpoint,
			v.limitEndpoint,
			v.checkOrigin,
			v.refuseCoding,
			v.ingest,
		)
		router.OPTIONS(address, v.preflight)
		router.GET(address, v.limitLooks, v.explain)
		router.HEAD(address, v.limitLooks, v.explain)
	}

	router.GET("/f/:endpoint/thanks", v.limitLooks, v.thank)
	router.HEAD("/f/:endpoint/thanks", v.limitLooks, v.thank)
}

// visit is what the steps of one request know and tell each other.
type visit struct {
	body     []byte
	client   string
	endpoint *forms.Endpoint
	controls forms.Controls
	limits   []edge.Decision
}

const visitKey = "web.visit"

func visitOf(c *gin.Context) *visit {
	known, _ := c.Get(visitKey)
	if current, ok := known.(*visit); ok {
		return current
	}

	begun := &visit{}
	c.Set(visitKey, begun)

	return begun
}

func (v *Visitors) findEndpoint(c *gin.Context) {
	endpoint, err := v.lookup(c)
	if endpoint != nil {
		visitOf(c).endpoint = endpoint

		ids := edge.IDs(c)
		ids.Tenant, ids.Endpoint = endpoint.OwnerID(), endpoint.ID

		v.narrowToAllowed(c, endpoint)
	}

	if err != nil {
		edge.Fail(c, err)
	}
}

func (v *Visitors) lookup(c *gin.Context) (*forms.Endpoint, error) {
	// The router takes an empty name for one as well, which is nobody's.
	if tenant, named := c.Params.Get("tenant"); named {
		return v.Lookup.FindUnder(c.Request.Context(), tenant, c.Param("endpoint"))
	}

	return v.Lookup.Find(c.Request.Context(), c.Param("endpoint"))
}
