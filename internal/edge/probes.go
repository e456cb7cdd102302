package edge

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"formonce/internal/fault"
)

// readyPatience is how long a readiness check may take; who asks has given up by then.
const readyPatience = 3 * time.Second

var errNotReady = fault.New(fault.Unavailable, "not_ready",
	"The service cannot take requests yet, or not for now. Its log says why.")

// Probes adds GET and HEAD of /healthz, which touches nothing, and of /readyz, which is 503 not_ready with a sentence
// while ready returns an error. The sentence is that of a *fault.Fault in the error; the text of any other is not shown.
func Probes(r gin.IRoutes, ready func(ctx context.Context) error) {
	healthz := func(c *gin.Context) {
		hush(c)
		c.Header("Cache-Control", "no-store")
		c.JSON(http.StatusOK, gin.H{"status": "ok"})
	}
	readyz := func(c *gin.Context) {
		hush(c)
		c.Header("Cache-Control", "no-store")

		ctx, cancel := context.WithTimeout(c.Request.Context(), readyPatience)
		defer cancel()

		if err := ready(ctx); err != nil {
			Fail(c, notReady(err))

			return
		}

		c.JSON(http.StatusOK, gin.H{"status": "ok"})
	}

	r.Match([]string{http.MethodGet, http.MethodHead}, "/healthz", healthz)
	r.Match([]string{http.MethodGet, http.MethodHead}, "/readyz", readyz)
}

func notReady(err error) error {
	answer := *errNotReady

	if known, ok := errors.AsType[*fault.Fault](err); ok {
		answer.Message = known.Message
	}

	return answer.Because(err)
}

// Metrics adds GET /metrics in the format of Prometheus.
func Metrics(r gin.IRoutes, gatherer prometheus.Gatherer) {
	handler := MetricsHandler(gatherer)

	r.GET("/metrics", func(c *gin.Context) {
		hush(c)
		handler.ServeHTTP(c.Writer, c.Request)
	})
}

// MetricsHandler is /metrics for an address of its own.
func MetricsHandler(gatherer prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{})
}
