package api_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"formonce/api"
)

// needMore are the rows whose example cannot work as it stands, since it stands for something that only a person, a mail or
// a device has; they have tests of their own.
var needMore = map[string]string{
	"POST /second-factor/totp/confirm":   "a code of a generator",
	"DELETE /second-factor/totp":         "a second factor that is on",
	"POST /second-factor/recovery-codes": "a second factor that is on",
	"POST /session/second-factor":        "a challenge",
	"POST /passkeys":                     "a device",
	"POST /session/passkey":              "a device",
	"POST /session/refresh":              "the cookie of a session",
	"POST /email/verify":                 "a link of a mail",
	"POST /password/reset":               "a link of a mail",
	"POST /account/email/confirm":        "a link of a mail",
	"POST /account/restore":              "an account that is going to be deleted",
	"DELETE /account":                    "a person who is no only owner",
	"POST /invitations/preview":          "a link of a mail",
	"POST /invitations/accept":           "a link of a mail",
	"POST /tenant/restore":               "a tenant that is going to be deleted",
	"POST /token":                        "a key in place of an access token",
}

// TestEveryExampleOfTheContractWorks sends each operation's example for real, each against a world of its own, and wants
// what the contract promises: a success that it lists.
func TestEveryExampleOfTheContractWorks(t *testing.T) {
	t.Parallel()

	original := openWorld(t)
	original.close()

	for _, row := range api.Rows() {
		name := row.Method + " " + row.Path

		t.Run(name, func(t *testing.T) {
			t.Parallel()

			w := original.again(t)
			got := w.send(row.Method, w.path(row), w.body(row), "Authorization", "Bearer "+w.credential(w.acme, row))

			worked := got.status < http.StatusBadRequest
			if why, excused := needMore[name]; worked == excused {
				t.Errorf("the example was answered with %d (excused: %q): %s", got.status, why, got.body)
			}
		})
	}
}

// TestARowThatTakesABodyHasAnExample keeps the page readable and the test above honest.
func TestARowThatTakesABodyHasAnExample(t *testing.T) {
	t.Parallel()

	written := operations(t)

	for _, name := range slices.Sorted(maps.Keys(written)) {
		if operation := written[name]; operation.RequestBody != nil && operation.example() == nil {
			t.Errorf("%s has a body and no example", name)
		}
	}
}
