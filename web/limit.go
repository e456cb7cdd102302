package web

import (
	"github.com/gin-gonic/gin"

	"formonce/internal/edge"
)

// limitClient spends from the client's allowance before the endpoint is looked at, so that guessing costs as well.
func (v *Visitors) limitClient(c *gin.Context) {
	current := visitOf(c)
	current.client = edge.ClientKey(edge.Client(c))

	v.spend(c, "client", v.ClientRate, current.client)
}

// limitLooks is for those who have an endpoint looked up and post nothing. They have an allowance of their own: the page
// after a submission must not cost the next one.
func (v *Visitors) limitLooks(c *gin.Context) {
	v.spend(c, lookScope, v.ClientRate, edge.ClientKey(edge.Client(c)))
}

// mayLook is limitLooks for a request that is answered either way.
func (v *Visitors) mayLook(c *gin.Context) bool {
	return v.Limits.Take(c.Request.Context(), lookScope, v.ClientRate, edge.ClientKey(edge.Client(c))).Allowed
}

const lookScope = "look"

func (v *Visitors) limitEndpoint(c *gin.Context) {
	v.spend(c, "endpoint", v.EndpointRate, visitOf(c).endpoint.ID)
}

func (v *Visitors) spend(c *gin.Context, scope string, rate edge.Rate, key string) {
	decision := v.Limits.Take(c.Request.Context(), scope, rate, key)

	current := visitOf(c)
	current.limits = append(current.limits, decision)
	edge.WriteLimitHeaders(c.Writer.Header(), current.limits...)

	if !decision.Allowed {
		edge.Fail(c, decision.Fault())
	}
}
