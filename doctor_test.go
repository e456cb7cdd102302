package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"formonce/internal/config"
	"formonce/internal/pgtest"
)

func TestTheDoctorNamesEachFault(t *testing.T) {
	t.Parallel()

	nobody := freeAddress(t)

	rows := map[string]struct {
		change func(map[string]string)
		status int
		line   string
	}{
		"all is well":          {func(map[string]string) {}, 0, "ok migrations The database is up to date."},
		"a setting is wrong":   {func(e map[string]string) { e["MAX_FIELDS"] = "many" }, 1, "fault configuration MAX_FIELDS"},
		"nothing without them": {func(e map[string]string) { e["MAX_FIELDS"] = "many" }, 1, "skipped database"},
		"no database": {
			func(e map[string]string) { e["DATABASE_URL"] = "postgres://a:hidden-word@" + nobody + "/x" }, 1, "fault database",
		},
		"nothing without it": {
			func(e map[string]string) { e["DATABASE_URL"] = "postgres://a:hidden-word@" + nobody + "/x" }, 1, "skipped clock",
		},
		"the database is behind": {
			func(e map[string]string) { e["DATABASE_URL"] = pgtest.Empty(t) }, 1, "fault migrations the database is behind",
		},
		"no Redis": {
			func(e map[string]string) { e["REDIS_URL"] = "redis://:hidden-word@" + nobody }, 1, "fault redis The Redis",
		},
		"a Sentry": {
			func(e map[string]string) { e["SENTRY_DSN"] = "https://hidden-word@sentry.example/1" }, 0, "sentry.example, as ids only",
		},
		"somebody else listens": {
			func(e map[string]string) { e["LISTEN_ADDR"] = listening(t, http.NotFound) }, 1, "fault listen address",
		},
		"a service listens": {
			func(e map[string]string) {
				e["LISTEN_ADDR"] = listening(t, func(http.ResponseWriter, *http.Request) {})
			}, 0,
			"ok listen address A service answers",
		},
	}

	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			at := newTerminal(t)
			row.change(at.environment)

			got := at.run("doctor")
			if got.status != row.status || !strings.Contains(strings.ToLower(oneLine(got.out)), strings.ToLower(row.line)) {
				t.Errorf("status %d, printed\n%swant %d and %q", got.status, got.out, row.status, row.line)
			}

			if strings.Contains(got.out+got.err, "hidden-word") {
				t.Error("the doctor tells a secret")
			}
		})
	}
}

// freeAddress is one on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()

	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = listener.Close() }()

	return listener.Addr().String()
}

func listening(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()

	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)

	return server.Listener.Addr().String()
}

func TestTheDoctorsJSONHasARowForEachCheck(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	got := at.must("doctor", "--json")

	var names []string
	for _, row := range got["checks"].([]any) {
		shape(t, row.(map[string]any), map[string]string{"name": ".", "status": "^ok$", "message": `\.$`})
		names = append(names, fmt.Sprint(row.(map[string]any)["name"]))
	}

	want := "configuration, data folder, database, migrations, clock, redis, mail, sentry, listen address"
	if got["ok"] != true || strings.Join(names, ", ") != want {
		t.Errorf("got %v for %s", got["ok"], names)
	}
}

func TestTheDataFolderIsItsOwnersAlone(t *testing.T) {
	t.Parallel()

	rows := map[string]struct {
		prepare func(t *testing.T, dir string) error
		fault   string
	}{
		"not there yet": {func(_ *testing.T, dir string) error { return os.Remove(dir) }, ""},
		"as it is made": {func(_ *testing.T, dir string) error { return os.Chmod(dir, 0o755) }, ""},
		"open to all":   {func(_ *testing.T, dir string) error { return os.Chmod(dir, 0o777) }, "chmod go-w"},
		"a file": {func(_ *testing.T, dir string) error {
			return os.Rename(writtenBeside(t, dir), dir)
		}, "not a folder"},
		"a secret for all": {func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "secret.key"), []byte("x"), 0o644)
		}, "chmod 600"},
	}

	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			dir := filepath.Join(t.TempDir(), "data")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}

			if err := row.prepare(t, dir); err != nil {
				t.Fatal(err)
			}

			_, err := checkDataFolder(t.Context(), &patient{settings: &config.Config{DataDir: dir}})
			if (err == nil) != (row.fault == "") || err != nil && !strings.Contains(err.Error(), row.fault) {
				t.Errorf("got %v, want %q", err, row.fault)
			}
		})
	}
}

// writtenBeside replaces a folder by a file that is ready to take its name.
func writtenBeside(t *testing.T, dir string) string {
	t.Helper()

	path := dir + ".file"
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}

	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}

	return path
}

func TestClocksThatAreApartAreAFault(t *testing.T) {
	t.Parallel()

	before := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	after := before.Add(time.Second)

	for there, fine := range map[time.Time]bool{
		before:                          true,
		after.Add(2 * time.Second):      true,
		before.Add(-2 * time.Second):    true,
		after.Add(2100e6):               false,
		before.Add(-2100e6):             false,
		before.Add(-7 * 24 * time.Hour): false,
	} {
		if _, err := compareClocks(before, there, after); (err == nil) != fine {
			t.Errorf("%s: got %v", there.Sub(before), err)
		}
	}
}
