package api

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"formonce/forms"
	"formonce/internal/fault"
	"formonce/internal/moment"
	"formonce/tenants"
)

var streamNeed = tenants.Need{Role: tenants.Viewer, Scope: tenants.ReadSubmissions}

var streamRoutes = []route{
	{
		method: http.MethodGet, path: "/stream", role: streamNeed.Role, scope: streamNeed.Scope,
		handle: (*API).streamNews,
	},
}

const (
	// heartbeat is how often a silent stream shows that it lives, and how long a session that has ended can go on listening.
	heartbeat = 15 * time.Second
	// streamFor bounds a stream, so that clients spread over the processes again.
	streamFor = time.Hour
	// streamPatience is for how long a client may not take an event.
	streamPatience = 10 * time.Second
	// reconnectAfter is what clients are asked to wait before they come back.
	reconnectAfter = 2 * time.Second
)

// newsData are the data of an event.
type newsData struct {
	SubmissionID string       `json:"submission_id"`
	EndpointID   string       `json:"endpoint_id"`
	ReceivedAt   string       `json:"received_at"`
	Status       forms.Status `json:"status"`
}

// news is an answer of the type text/event-stream (WHATWG HTML, section 9.2).
type news struct {
	api      *API
	request  *request
	listener *forms.Listener
	out      *patient
	ends     time.Time
	// proven is when the caller last showed that they may listen.
	proven time.Time
}

func (a *API) streamNews(r *request) (reply, error) {
	if err := r.onlyQueries(); err != nil {
		return reply{}, err
	}

	listener, err := a.Feed.Listen(r.ctx(), r.caller.TenantID, r.gin.GetHeader("Last-Event-ID"))
	if err != nil {
		return reply{}, err
	}

	lifetime := a.StreamFor
	if lifetime == 0 {
		lifetime = streamFor
	}

	out := r.takeTime()
	out.wait = streamPatience
	now := time.Now()
	stream := &news{api: a, request: r, listener: listener, out: out, ends: now.Add(lifetime), proven: now}

	return reply{stream: stream.serve}, nil
}

func (n *news) serve(http.ResponseWriter) {
	defer n.listener.Close()

	n.out.header = map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store",
		"X-Accel-Buffering": "no", // nginx would keep events back
	}

	if err := n.open(); err != nil {
		return
	}

	for {
		left := time.Until(n.ends)
		if left <= 0 {
			return
		}

		told, heard := n.listener.Next(n.request.ctx(), min(heartbeat, left))
		if heard == forms.HeardEnd || !n.mayListen() || n.tell(told, heard) != nil {
			return
		}
	}
}

// open says where the stream begins, so that a client that heard nothing yet can go on from there as well.
func (n *news) open() error {
	event := "ready"
	if n.listener.Reset {
		event = "reset"
	}

	return n.send("retry: %d\nid: %s\nevent: %s\ndata: {}\n\n", reconnectAfter.Milliseconds(), n.listener.Position(), event)
}

// mayListen asks again who listens, from time to time. A database that cannot answer ends no stream.
func (n *news) mayListen() bool {
	if time.Since(n.proven) < heartbeat {
		return true
	}

	caller, err := n.api.authenticate(n.request)
	if err == nil {
		err = caller.Refuse(streamNeed)
	}

	if err != nil && fault.As(err).Kind != fault.Unavailable {
		return false
	}

	n.proven = time.Now()

	return true
}

func (n *news) tell(told forms.News, heard forms.Heard) error {
	// A comment keeps the line open. With an id and no data it moves on where the client would go on.
	if heard == forms.HeardNothing {
		return n.send(": still here\nid: %s\n\n", n.listener.Position())
	}

	data, err := json.Marshal(newsData{
		SubmissionID: forms.PublicID(told.ID), EndpointID: told.EndpointID, ReceivedAt: moment.Write(told.ReceivedAt),
		Status: told.Status,
	})
	if err != nil {
		return fmt.Errorf("write an event: %w", err)
	}

	return n.send("id: %s\nevent: submission.%s\ndata: %s\n\n", n.listener.Position(), told.Status, data)
}

func (n *news) send(format string, args ...any) error {
	if _, err := fmt.Fprintf(n.out, format, args...); err != nil {
		return err
	}

	return n.out.flush()
}
