package edge

import (
	"log"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

const (
	headerPatience = 10 * time.Second
	idlePatience   = 2 * time.Minute
	// answerPatience is what is left for an answer after the body was read.
	answerPatience = 30 * time.Second
	mostHeader     = 64 << 10
)

// Server serves handler at addr (host:port) with a time limit on everything that a client could draw out: the whole
// request has to be there within bodyTimeout, its head within 10 s, and the answer is cut off 30 s after that. Its faults
// go to logger in fixed sentences, since the library's own texts quote panics and peers.
func Server(addr string, handler http.Handler, bodyTimeout time.Duration, logger *slog.Logger) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: headerPatience,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      bodyTimeout + answerPatience,
		IdleTimeout:       idlePatience,
		MaxHeaderBytes:    mostHeader,
		ErrorLog:          log.New(&serverLog{logger}, "", 0),
	}
}

// serverFaults are how lines of net/http begin, and what is logged in their place.
var serverFaults = []struct{ begins, sentence string }{
	{"http: Accept error", "No connection can be accepted for now, perhaps for want of file descriptors; raise the limit."},
	{"http: panic serving", "A handler panicked outside the recovery of requests."},
	{"http: superfluous response.WriteHeader", "A handler answered a request twice."},
	{"http: TLS handshake error", "A client broke off the TLS handshake."},
}

// serverLog is the writer behind an http.Server's ErrorLog.
type serverLog struct{ log *slog.Logger }

// Write logs the sentence that stands for the line.
func (l *serverLog) Write(line []byte) (int, error) {
	sentence := "A connection failed."

	for _, known := range serverFaults {
		if strings.HasPrefix(string(line), known.begins) {
			sentence = known.sentence
		}
	}

	l.log.Warn("The HTTP server met a fault.", slog.String("fault", sentence))

	return len(line), nil
}
