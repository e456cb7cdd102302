package config

import (
	"log/slog"
	"time"

	"formonce/internal/mail"
)

// Setting describes one variable of the environment, for the reference that is made from it.
type Setting struct {
	Name string
	// Default is what an absent or empty variable means; empty when that means "none", as Doc then explains.
	Default string
	// Doc is one or two sentences.
	Doc string
	// Secret says that the value must never be shown.
	Secret bool
}

// setting is a row of the table: the description and how a value gets into a Config.
type setting struct {
	Setting

	parse func(*Config, string) error
}

// Settings lists every variable that Load reads, in the order of the reference.
func Settings() []Setting {
	listed := make([]Setting, 0, len(table))
	for _, row := range table {
		listed = append(listed, row.Setting)
	}

	return listed
}

// table is the only place where a variable is named; the defaults stand here in the spelling of the environment, so that
// they pass through the same parsers as anything that is set.
var table = []setting{
	{Setting{
		Name: "LISTEN_ADDR", Default: "127.0.0.1:8080",
		Doc: "host:port on which the service listens. An empty host stands for every interface.",
	}, text(func(c *Config) *string { return &c.ListenAddr }, address)},
	{Setting{
		Name: "PUBLIC_URL",
		Doc: "The origin under which visitors reach the service, such as https://forms.example.com. " +
			"Without it: http:// and LISTEN_ADDR.",
	}, text(func(c *Config) *string { return &c.PublicURL }, optional(origin))},
	{Setting{
		Name: "DATABASE_URL", Secret: true,
		Doc: "The PostgreSQL to use, as postgres://user:password@host:5432/name. " +
			"Without it the service runs its own under DATA_DIR.",
	}, text(func(c *Config) *string { return &c.DatabaseURL }, optional(databaseURL))},
	{Setting{
		Name: "DATA_DIR", Default: "./.data",
		Doc: "The folder of the service's own PostgreSQL and of its own secret.",
	}, text(func(c *Config) *string { return &c.DataDir }, anything)},
	{Setting{
		Name: "PG_BIN_DIR",
		Doc:  "The folder that holds initdb and postgres. Without it they are searched for in the usual places.",
	}, text(func(c *Config) *string { return &c.PGBinDir }, anything)},
	{Setting{
		Name: "AUTO_MIGRATE", Default: "0",
		Doc: "1 lets serve migrate the database of DATABASE_URL when it starts. The service's own database is always migrated.",
	}, flag(func(c *Config) *bool { return &c.AutoMigrate })},
	{Setting{
		Name: "SECRET_KEY", Secret: true,
		Doc: "At least 32 characters from which every key of the service is derived; the same on all machines. " +
			"Required with DATABASE_URL; otherwise made once and kept in DATA_DIR.",
	}, text(func(c *Config) *string { return &c.SecretKey }, optional(secret))},
	{Setting{
		Name: "TRUSTED_PROXY_HOPS", Default: "0",
		Doc: "How many proxies of your own stand in front, 0 to 10. " +
			"The client's address is then taken from X-Forwarded-For, that many places from the right.",
	}, whole(func(c *Config) *int { return &c.TrustedProxyHops }, 0, 10)},
	{Setting{
		Name: "RATE_LIMIT_CLIENT", Default: "60/1m",
		Doc: "How many requests one client address may make in a window, over all endpoints, " +
			"such as 10/1s or 1000/1h; off for no limit.",
	}, rate(func(c *Config) *Rate { return &c.ClientRate })},
	{Setting{
		Name: "RATE_LIMIT_ENDPOINT", Default: "600/1m",
		Doc: "How many requests one endpoint takes in a window, from all clients together; off for no limit.",
	}, rate(func(c *Config) *Rate { return &c.EndpointRate })},
	{Setting{
		Name: "RATE_LIMIT_CALLER", Default: "600/1m",
		Doc: "How many requests of the management API one member or API key may make in a window; off for no limit.",
	}, rate(func(c *Config) *Rate { return &c.CallerRate })},
	{Setting{
		Name: "RATE_LIMIT_MEMORY", Default: "100000",
		Doc: "How many counters of the limits are held in memory, 1000 to 10000000. " +
			"The one unused for longest makes room for a new one.",
	}, whole(func(c *Config) *int { return &c.RateLimitMemory }, 1000, 10_000_000)},
	{Setting{
		Name: "REDIS_URL", Secret: true,
		Doc: "A Redis that holds the counters of the limits for all machines together, as redis://host:6379/0. " +
			"Without it every process counts for itself.",
	}, text(func(c *Config) *string { return &c.RedisURL }, optional(redisURL))},
	{Setting{
		Name: "MAX_BODY_BYTES", Default: "262144",
		Doc: "The largest body of a submission, in bytes, 1024 to 104857600.",
	}, whole(func(c *Config) *int64 { return &c.MaxBodyBytes }, 1024, 100<<20)},
	{Setting{
		Name: "MAX_FIELDS", Default: "100",
		Doc: "How many fields a submission may have, 1 to 10000.",
	}, whole(func(c *Config) *int { return &c.MaxFields }, 1, 10_000)},
	{Setting{
		Name: "MAX_FIELD_NAME", Default: "128",
		Doc: "How many characters a field's name may have, 1 to 1024.",
	}, whole(func(c *Config) *int { return &c.MaxFieldName }, 1, 1024)},
	{Setting{
		Name: "MAX_FIELD_VALUE", Default: "16384",
		Doc: "How many characters a field's value may have, 1 to 10485760.",
	}, whole(func(c *Config) *int { return &c.MaxFieldValue }, 1, 10<<20)},
	{Setting{
		Name: "MAX_JSON_DEPTH", Default: "16",
		Doc: "How deep objects and arrays of a JSON body may be nested, 1 to 100.",
	}, whole(func(c *Config) *int { return &c.MaxJSONDepth }, 1, 100)},
	{Setting{
		Name: "BODY_TIMEOUT", Default: "30s",
		Doc: "How long a client may take to send a whole request, 1s to 10m.",
	}, duration(func(c *Config) *time.Duration { return &c.BodyTimeout })},
	{Setting{
		Name: "SIGNUP", Default: "open",
		Doc: "Who may sign up: open lets everybody make a tenant, invite only people who are invited to one, " +
			"closed nobody: then tenants are made on the command line.",
	}, text(func(c *Config) *string { return &c.Signup }, oneOf("open", "invite", "closed"))},
	{Setting{
		Name: "SMTP_URL", Secret: true,
		Doc: "The mail server, as smtp://user:password@mail.example.com:587 or smtps://…:465. " +
			"Without it mails are not sent: they go to the log, and formonce mail shows them.",
	}, text(func(c *Config) *string { return &c.SMTPURL }, optional(mail.CheckServer))},
	{Setting{
		Name: "MAIL_FROM",
		Doc:  "Who mails are from, such as Forms <forms@example.com>. Required with SMTP_URL.",
	}, text(func(c *Config) *string { return &c.MailFrom }, optional(mail.CheckSender))},
	{Setting{
		Name: "OIDC_ISSUER",
		Doc: "The OpenID provider that people may sign in at, as its issuer, such as https://login.example.com. " +
			"Without it there is none. Its callback is PUBLIC_URL and /api/v1/oidc/callback.",
	}, text(func(c *Config) *string { return &c.OIDCIssuer }, optional(issuer))},
	{Setting{
		Name: "OIDC_CLIENT_ID",
		Doc:  "The id of this service at the provider of OIDC_ISSUER.",
	}, text(func(c *Config) *string { return &c.OIDCClientID }, anything)},
	{Setting{
		Name: "OIDC_CLIENT_SECRET", Secret: true,
		Doc: "The secret of this service at the provider of OIDC_ISSUER.",
	}, text(func(c *Config) *string { return &c.OIDCClientSecret }, anything)},
	{Setting{
		Name: "SENTRY_DSN", Secret: true,
		Doc: "Where faults of the service are reported, as ids only. Without it nothing is reported.",
	}, text(func(c *Config) *string { return &c.SentryDSN }, optional(sentryDSN))},
	{Setting{
		Name: "METRICS_ADDR",
		Doc:  "host:port of an address of its own for /metrics. Without it /metrics is on LISTEN_ADDR.",
	}, text(func(c *Config) *string { return &c.MetricsAddr }, optional(address))},
	{Setting{
		Name: "LOG_LEVEL", Default: "info",
		Doc: "The least level that is printed: debug, info, warn or error.",
	}, level(func(c *Config) *slog.Level { return &c.LogLevel })},
}
