package mail

import (
	"context"
	"log/slog"
)

// Log is for a service without a mail server: it writes to the log whom a mail would go to and the link that they need, so
// that the operator can pass it on.
type Log struct {
	Log *slog.Logger
}

// Send always succeeds.
func (l Log) Send(ctx context.Context, message Message) error {
	l.Log.LogAttrs(ctx, slog.LevelInfo, "There is no SMTP_URL, so this mail is only shown here.",
		slog.String("to", message.To), slog.String("subject", message.Subject), slog.String("link", message.Link))

	return nil
}

// Delivers is false: nobody has got the mail.
func (Log) Delivers() bool { return false }
