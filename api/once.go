package api

import (
	"context"
	"crypto/sha256"

	"formonce/internal/fault"
	"formonce/tenants"
)

// answer asks the row's handler, for a row with once and an idempotency key at most one time.
func (a *API) answer(r *request, row route) (reply, error) {
	key := r.gin.GetHeader("Idempotency-Key")
	if !row.once || key == "" {
		made, err := row.handle(a, r)
		if err != nil {
			return reply{}, err
		}

		return made.encode()
	}

	if len(key) > 255 || len(r.gin.Request.Header.Values("Idempotency-Key")) > 1 {
		return reply{}, fault.New(fault.Invalid, "invalid_idempotency_key",
			"Send one header Idempotency-Key with 1 to 255 characters.")
	}

	var made reply

	// The caller is part of the request: a key of one member says nothing to another.
	asked := sha256.Sum256([]byte(row.method + " " + r.gin.Request.URL.RequestURI() + "\n" +
		r.caller.Actor().ID.String() + "\n" + string(r.body)))

	kept, err := a.Answers.Once(r.ctx(), r.caller.TenantID, key, asked,
		func(ctx context.Context) (tenants.Answer, error) {
			r.gin.Request = r.gin.Request.WithContext(ctx)

			first, err := row.handle(a, r)
			if err != nil {
				return tenants.Answer{}, err
			}

			if made, err = first.encode(); err != nil {
				return tenants.Answer{}, err
			}

			return tenants.Answer{Status: made.status, Body: made.encoded}, nil
		})
	if err != nil {
		return reply{}, err
	}

	if kept.Replayed {
		made = reply{status: kept.Status, encoded: kept.Body, replayed: true}
	}

	return made, nil
}
