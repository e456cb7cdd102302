// Package config turns the environment into one checked struct. It is the only package that reads the environment.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/joho/godotenv"
)

// Rate is a limit of so many requests in one window of time. The zero Rate is "off".
type Rate struct {
	Limit  int64
	Window time.Duration
}

// Config holds every setting, checked. Two of them have a value only later: SecretKey (ask Secret) and PublicURL when
// the port is 0 (see PublicURLOf).
type Config struct {
	// ListenAddr is host:port of the public address.
	ListenAddr string
	// PublicURL is the origin under which visitors reach the service, without a slash at the end. It is empty when it
	// was not set and ListenAddr leaves the port to the system.
	PublicURL string
	// DatabaseURL is empty when the embedded PostgreSQL is to be used.
	DatabaseURL string
	// DataDir is where the embedded PostgreSQL and the service's own secret live.
	DataDir string
	// PGBinDir is the folder of initdb and postgres; empty when they are to be searched for.
	PGBinDir string
	// AutoMigrate asks serve to migrate a database that is not the embedded one.
	AutoMigrate bool
	// SecretKey is at least 32 characters long, or empty when there was none and the database is embedded.
	SecretKey string
	// TrustedProxyHops is the number of proxies of ours in front of the service.
	TrustedProxyHops int
	// ClientRate is per client address over all endpoints, EndpointRate per endpoint over all clients.
	ClientRate, EndpointRate Rate
	// CallerRate is per member or API key of the management API.
	CallerRate Rate
	// RateLimitMemory is how many counters the store in memory holds at most.
	RateLimitMemory int
	// RedisURL is empty when every process counts for itself.
	RedisURL string
	// MaxBodyBytes is the largest body that is read, in bytes.
	MaxBodyBytes int64
	// MaxFields is per submission; MaxFieldName and MaxFieldValue are in characters.
	MaxFields, MaxFieldName, MaxFieldValue int
	// MaxJSONDepth is how deep objects and arrays may be nested.
	MaxJSONDepth int
	// BodyTimeout is how long a client may take to send a whole request.
	BodyTimeout time.Duration
	// Signup says who may sign up: open, invite or closed.
	Signup string
	// SMTPURL is empty when mails go to the log; MailFrom is their sender, and not empty beside it.
	SMTPURL, MailFrom string
	// OIDCIssuer is empty when nobody signs in at a provider; all three are set, or none.
	OIDCIssuer, OIDCClientID, OIDCClientSecret string
	// SentryDSN is empty when nothing is to be reported.
	SentryDSN string
	// MetricsAddr is host:port of an address of its own for /metrics; empty for the public one.
	MetricsAddr string
	// LogLevel is the least level that is printed.
	LogLevel slog.Level
}

// Lookup finds a variable by its name, as os.LookupEnv does.
type Lookup func(name string) (string, bool)

// FromEnvironment loads the process's environment and the file .env of the working directory.
func FromEnvironment() (*Config, error) {
	return Load(os.LookupEnv, ".env")
}

// Load reads every setting, and writes nothing. A variable that lookup finds wins over the same one in the dotenv file,
// which need not exist; an empty one stands for the default. The error holds one sentence for each fault, joined by
// line breaks, names the variables, and never repeats what was given for one.
func Load(lookup Lookup, dotenvPath string) (*Config, error) {
	file, err := readDotenv(dotenvPath)
	faults := []error{err}

	find := func(name string) string {
		if value, ok := lookup(name); ok {
			return value
		}

		return file[name]
	}

	loaded := &Config{}
	failed := map[string]bool{}

	for _, s := range table {
		value := find(s.Name)
		if value == "" {
			value = s.Default
		}

		if err := s.parse(loaded, value); err != nil {
			failed[s.Name] = true
			faults = append(faults, fmt.Errorf("%s %w", s.Name, err))
		}
	}

	faults = append(faults, loaded.checkTogether(failed)...)
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}

	return loaded, nil
}

// readDotenv keeps the parser's own error back, since that quotes the line at fault, which may be a secret's.
func readDotenv(path string) (map[string]string, error) {
	values, err := godotenv.Read(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return values, nil
	}

	if trouble, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("the settings file %s cannot be read: %w; allow this account to read it, or remove it",
			path, trouble.Err)
	}

	return nil, fmt.Errorf("the settings file %s has a line that is not NAME=value; write one such line for each setting", path)
}

// checkTogether holds what concerns two settings at once. It is silent about settings that are at fault by themselves.
func (c *Config) checkTogether(failed map[string]bool) []error {
	var faults []error

	if c.DatabaseURL != "" && c.SecretKey == "" && !failed["SECRET_KEY"] && !failed["DATABASE_URL"] {
		faults = append(faults, errors.New("SECRET_KEY is required when DATABASE_URL is set, since every process must "+
			"hold the same one; make one with: openssl rand -base64 48"))
	}

	if c.MetricsAddr != "" && c.MetricsAddr == c.ListenAddr {
		faults = append(faults, errors.New("METRICS_ADDR must differ from LISTEN_ADDR; leave it empty to have /metrics there"))
	}

	if c.SMTPURL != "" && c.MailFrom == "" && !failed["MAIL_FROM"] {
		faults = append(faults, errors.New("MAIL_FROM is required when SMTP_URL is set: mails need a sender that answers can go to"))
	}

	if missing := c.missingOIDC(); missing != "" && !failed["OIDC_ISSUER"] {
		faults = append(faults, fmt.Errorf("%s is required too: a provider needs OIDC_ISSUER, OIDC_CLIENT_ID and "+
			"OIDC_CLIENT_SECRET; set all of them, or none", missing))
	}

	if c.PublicURL == "" && !failed["PUBLIC_URL"] && !failed["LISTEN_ADDR"] {
		c.PublicURL = PublicURLOf(c.ListenAddr)
	}

	return faults
}

// missingOIDC names the first setting of a provider that is empty while another one is not.
func (c *Config) missingOIDC() string {
	if c.OIDCIssuer == "" && c.OIDCClientID == "" && c.OIDCClientSecret == "" {
		return ""
	}

	for _, part := range []struct{ name, value string }{
		{"OIDC_ISSUER", c.OIDCIssuer}, {"OIDC_CLIENT_ID", c.OIDCClientID}, {"OIDC_CLIENT_SECRET", c.OIDCClientSecret},
	} {
		if part.value == "" {
			return part.name
		}
	}

	return ""
}

// PublicURLOf is the PUBLIC_URL of a service that listens on addr (host:port) and was told no other: a host that stands
// for every interface becomes localhost. It is empty for port 0, so ask again with the address that was given out.
func PublicURLOf(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "0" {
		return ""
	}

	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}

	return "http://" + net.JoinHostPort(host, port)
}
