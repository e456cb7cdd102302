package config_test

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"formonce/internal/config"
)

const long = "0123456789abcdef0123456789abcdef"

func lookup(values map[string]string) config.Lookup {
	return func(name string) (string, bool) {
		value, ok := values[name]

		return value, ok
	}
}

func load(t *testing.T, values map[string]string) (*config.Config, error) {
	t.Helper()

	return config.Load(lookup(values), filepath.Join(t.TempDir(), ".env"))
}

func TestAnEmptyEnvironmentGivesTheDefaults(t *testing.T) {
	t.Parallel()

	got, err := load(t, nil)
	if err != nil {
		t.Fatal(err)
	}

	want := config.Config{
		ListenAddr: "127.0.0.1:8080", PublicURL: "http://127.0.0.1:8080", DataDir: "./.data",
		ClientRate: config.Rate{Limit: 60, Window: time.Minute}, EndpointRate: config.Rate{Limit: 600, Window: time.Minute},
		CallerRate:      config.Rate{Limit: 600, Window: time.Minute},
		RateLimitMemory: 100_000, MaxBodyBytes: 262_144, MaxFields: 100, MaxFieldName: 128, MaxFieldValue: 16_384,
		MaxJSONDepth: 16, BodyTimeout: 30 * time.Second, LogLevel: slog.LevelInfo, Signup: "open",
	}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
}

func TestThePublicURLIsWrittenAsBrowsersWriteAnOrigin(t *testing.T) {
	t.Parallel()

	for given, wanted := range map[string]string{
		"https://forms.example.com:443/": "https://forms.example.com",
		"HTTPS://Forms.Example.com":      "https://forms.example.com",
		"http://forms.example.com:80":    "http://forms.example.com",
		"http://[::1]:80":                "http://[::1]",
		"http://forms.example.com:443":   "http://forms.example.com:443",
		"https://forms.example.com:8443": "https://forms.example.com:8443",
		"https://forms.example.com:":     "https://forms.example.com",
	} {
		if got, err := load(t, map[string]string{"PUBLIC_URL": given}); err != nil || got.PublicURL != wanted {
			t.Errorf("%s: got %+v and %v, want %s", given, got, err, wanted)
		}
	}
}

func TestEverySettingReachesTheConfig(t *testing.T) {
	t.Parallel()

	got, err := load(t, map[string]string{
		"LISTEN_ADDR": "[::1]:9000", "PUBLIC_URL": "https://Forms.example.com/", "DATABASE_URL": "postgres://u:p@db/formonce",
		"DATA_DIR": "/var/lib/formonce", "PG_BIN_DIR": "/opt/pg/bin", "AUTO_MIGRATE": "1", "SECRET_KEY": long,
		"TRUSTED_PROXY_HOPS": "2", "RATE_LIMIT_CLIENT": "off", "RATE_LIMIT_ENDPOINT": "1000/1h", "RATE_LIMIT_MEMORY": "5000",
		"RATE_LIMIT_CALLER": "9/1s",
		"REDIS_URL":         "redis://cache:6379/1", "MAX_BODY_BYTES": "2048", "MAX_FIELDS": "7", "MAX_FIELD_NAME": "8",
		"MAX_FIELD_VALUE": "9", "MAX_JSON_DEPTH": "3", "BODY_TIMEOUT": "1m30s", "SENTRY_DSN": "https://key@sentry.example.com/1",
		"METRICS_ADDR": ":9100", "LOG_LEVEL": "debug",
		"SIGNUP": "invite", "SMTP_URL": "smtps://u:p@mail.example.com", "MAIL_FROM": "Forms <forms@example.com>",
		"OIDC_ISSUER": "https://login.example.com/realms/a", "OIDC_CLIENT_ID": "formonce", "OIDC_CLIENT_SECRET": "hush",
	})
	if err != nil {
		t.Fatal(err)
	}

	want := config.Config{
		ListenAddr: "[::1]:9000", PublicURL: "https://forms.example.com", DatabaseURL: "postgres://u:p@db/formonce",
		DataDir: "/var/lib/formonce", PGBinDir: "/opt/pg/bin", AutoMigrate: true, SecretKey: long, TrustedProxyHops: 2,
		EndpointRate: config.Rate{Limit: 1000, Window: time.Hour},
		CallerRate:   config.Rate{Limit: 9, Window: time.Second}, RateLimitMemory: 5000, RedisURL: "redis://cache:6379/1",
		MaxBodyBytes: 2048, MaxFields: 7, MaxFieldName: 8, MaxFieldValue: 9, MaxJSONDepth: 3, BodyTimeout: 90 * time.Second,
		SentryDSN: "https://key@sentry.example.com/1", MetricsAddr: ":9100", LogLevel: slog.LevelDebug,
		Signup: "invite", SMTPURL: "smtps://u:p@mail.example.com", MailFrom: "Forms <forms@example.com>",
		OIDCIssuer: "https://login.example.com/realms/a", OIDCClientID: "formonce", OIDCClientSecret: "hush",
	}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
}

// planted stands in every wrong value, so that one search shows whether an error repeats any of them.
const planted = "pl4nted"

func TestEveryFaultIsReportedAtOnceAndNoValueIsRepeated(t *testing.T) {
	t.Parallel()

	wrong := map[string]string{
		"LISTEN_ADDR":         planted,
		"PUBLIC_URL":          "ftp://" + planted,
		"DATABASE_URL":        "mysql://root:" + planted + "@db/x",
		"AUTO_MIGRATE":        planted,
		"SECRET_KEY":          planted,
		"TRUSTED_PROXY_HOPS":  "11" + planted,
		"RATE_LIMIT_CLIENT":   planted,
		"RATE_LIMIT_ENDPOINT": "10/" + planted,
		"RATE_LIMIT_MEMORY":   planted,
		"REDIS_URL":           "http://" + planted,
		"MAX_BODY_BYTES":      planted,
		"MAX_FIELDS":          planted,
		"MAX_FIELD_NAME":      planted,
		"MAX_FIELD_VALUE":     planted,
		"MAX_JSON_DEPTH":      planted,
		"BODY_TIMEOUT":        planted,
		"SIGNUP":              planted,
		"SMTP_URL":            "smtp://" + planted + ":99999999",
		"MAIL_FROM":           planted,
		"OIDC_ISSUER":         planted,
		"SENTRY_DSN":          "https://" + planted,
		"METRICS_ADDR":        planted,
		"LOG_LEVEL":           planted,
	}

	_, err := load(t, wrong)
	if err == nil {
		t.Fatal("nothing was refused")
	}

	sentences := strings.Split(err.Error(), "\n")
	if len(sentences) != len(wrong) {
		t.Errorf("%d sentences for %d faults:\n%v", len(sentences), len(wrong), err)
	}

	for name := range wrong {
		if !strings.Contains("\n"+err.Error(), "\n"+name+" must ") {
			t.Errorf("no sentence begins with %s", name)
		}
	}

	if strings.Contains(err.Error(), planted) {
		t.Errorf("a value is repeated:\n%v", err)
	}
}

func TestValuesOutsideTheRulesAreRefused(t *testing.T) {
	t.Parallel()

	for name, values := range map[string][]string{
		"LISTEN_ADDR":        {"127.0.0.1", ":http", "127.0.0.1:65536", "127.0.0.1:-1", "http://127.0.0.1:80", "a b:80", ":080"},
		"PUBLIC_URL":         {"forms.example.com", "https://", "https://a/b", "https://a?", "https://a#x", "https://u@a", "javascript:alert(1)", "https://müller.example"},
		"AUTO_MIGRATE":       {"true", "2"},
		"SECRET_KEY":         {long[1:]},
		"TRUSTED_PROXY_HOPS": {"-1", "11", "1.5", "1 "},
		"RATE_LIMIT_CLIENT":  {"60", "60/", "/1m", "0/1m", "-1/1m", "60/0s", "60/500ms", "60/1500ms", "60/25h", "60/1m/1m", "OFF", "99999999999/1m"},
		"MAX_BODY_BYTES":     {"0", "1023", "104857601"},
		"BODY_TIMEOUT":       {"0s", "30", "11m", "-1s"},
		"LOG_LEVEL":          {"INFO", "trace"},
		"METRICS_ADDR":       {"9100", "127.0.0.1:8080"},
		"REDIS_URL":          {"cache:6379"},
		"SIGNUP":             {"Open", "yes"},
		"SMTP_URL":           {"mail.example.com", "http://mail.example.com", "smtp://", "smtp://mail.example.com:0"},
		"MAIL_FROM":          {"forms", "Forms forms@example.com"},
		"OIDC_ISSUER":        {"login.example.com", "http://login.example.com", "https://u@login.example.com", "https://a?b=c", "ftp://a"},
	} {
		for _, value := range values {
			if _, err := load(t, map[string]string{name: value}); err == nil || !strings.HasPrefix(err.Error(), name) {
				t.Errorf("%s=%q: %v", name, value, err)
			}
		}
	}
}

func TestADatabaseOfOnesOwnNeedsASecret(t *testing.T) {
	t.Parallel()

	_, err := load(t, map[string]string{"DATABASE_URL": "postgres://db/x"})
	if err == nil || !strings.HasPrefix(err.Error(), "SECRET_KEY is required") {
		t.Errorf("got %v", err)
	}
}

func TestAProviderNeedsAllItsSettings(t *testing.T) {
	t.Parallel()

	all := map[string]string{
		"OIDC_ISSUER": "http://127.0.0.1:9000/oidc", "OIDC_CLIENT_ID": "formonce", "OIDC_CLIENT_SECRET": planted,
	}
	if _, err := load(t, all); err != nil {
		t.Error(err)
	}

	for name := range all {
		some := maps.Clone(all)
		delete(some, name)

		_, err := load(t, some)
		if err == nil || !strings.HasPrefix(err.Error(), name+" is required") || strings.Contains(err.Error(), planted) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestThePublicAddressFollowsTheListener(t *testing.T) {
	t.Parallel()

	for addr, want := range map[string]string{
		":8080": "http://localhost:8080", "0.0.0.0:80": "http://localhost:80", "[::]:80": "http://localhost:80",
		"[::1]:80": "http://[::1]:80", "10.0.0.1:80": "http://10.0.0.1:80", "127.0.0.1:0": "",
	} {
		got, err := load(t, map[string]string{"LISTEN_ADDR": addr})
		if err != nil || got.PublicURL != want {
			t.Errorf("%s: %+v, %v", addr, got, err)
		}
	}
}

func TestTheEnvironmentWinsOverTheFile(t *testing.T) {
	t.Parallel()

	file := filepath.Join(t.TempDir(), ".env")
	write(t, file, "# comment\nLISTEN_ADDR=:1\nMAX_FIELDS=5\nREDIS_URL=redis://file\n")

	got, err := config.Load(lookup(map[string]string{"LISTEN_ADDR": ":2", "REDIS_URL": ""}), file)
	if err != nil {
		t.Fatal(err)
	}

	if got.ListenAddr != ":2" || got.MaxFields != 5 || got.RedisURL != "" {
		t.Errorf("got %+v", got)
	}
}

func TestABrokenFileIsAFaultThatQuotesNothingOfIt(t *testing.T) {
	t.Parallel()

	file := filepath.Join(t.TempDir(), ".env")
	write(t, file, "SECRET_KEY "+planted+"\n!!"+planted)

	_, err := config.Load(lookup(map[string]string{"MAX_FIELDS": "0"}), file)
	if err == nil || !strings.Contains(err.Error(), "NAME=value") || !strings.Contains(err.Error(), "MAX_FIELDS") {
		t.Errorf("got %v", err)
	}

	if strings.Contains(err.Error(), planted) {
		t.Errorf("the file is quoted: %v", err)
	}
}

func TestTheReferenceNamesEverySettingOnceWithADescription(t *testing.T) {
	t.Parallel()

	seen := map[string]bool{}
	for _, s := range config.Settings() {
		if seen[s.Name] || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("%+v", s)
		}

		seen[s.Name] = true
	}

	if len(seen) != 28 {
		t.Errorf("%d settings", len(seen))
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()

	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
