package config

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/getsentry/sentry-go"
	"github.com/redis/go-redis/v9"
)

// The errors of this file continue a sentence that begins with the variable's name, and never quote the value: one that
// stands in the wrong variable may be a secret.

const (
	shortestSecret = 32
	longestWindow  = 24 * time.Hour
	longestBody    = 10 * time.Minute
)

// check turns a value into the form in which it is kept.
type check func(value string) (string, error)

func anything(value string) (string, error) { return value, nil }

func optional(inner check) check {
	return func(value string) (string, error) {
		if value == "" {
			return "", nil
		}

		return inner(value)
	}
}

func text(at func(*Config) *string, check check) func(*Config, string) error {
	return func(c *Config, value string) error {
		checked, err := check(value)
		if err == nil {
			*at(c) = checked
		}

		return err
	}
}

func oneOf(known ...string) check {
	return func(value string) (string, error) {
		if !slices.Contains(known, value) {
			return "", fmt.Errorf("must be one of %s", strings.Join(known, ", "))
		}

		return value, nil
	}
}

func flag(at func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, value string) error {
		if value != "0" && value != "1" {
			return errors.New("must be 0 or 1")
		}

		*at(c) = value == "1"

		return nil
	}
}

func whole[N int | int64](at func(*Config) *N, least, most int64) func(*Config, string) error {
	return func(c *Config, value string) error {
		number, err := strconv.ParseInt(value, 10, 64)
		if err != nil || number < least || number > most {
			return fmt.Errorf("must be a whole number from %d to %d", least, most)
		}

		*at(c) = N(number)

		return nil
	}
}

func duration(at func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, value string) error {
		length, err := time.ParseDuration(value)
		if err != nil || length < time.Second || length > longestBody {
			return errors.New("must be a length of time from 1s to 10m, such as 30s")
		}

		*at(c) = length

		return nil
	}
}

func rate(at func(*Config) *Rate) func(*Config, string) error {
	return func(c *Config, value string) error {
		parsed, err := parseRate(value)
		if err == nil {
			*at(c) = parsed
		}

		return err
	}
}

// parseRate reads "60/1m": a number of requests and the window in which they may come, 1s to 24h. "off" is the zero Rate.
func parseRate(value string) (Rate, error) {
	if value == "off" {
		return Rate{}, nil
	}

	count, window, _ := strings.Cut(value, "/")
	limit, err := strconv.ParseInt(count, 10, 64)
	length, wrong := time.ParseDuration(window)

	if err != nil || wrong != nil || limit < 1 || limit > math.MaxInt32 ||
		length < time.Second || length > longestWindow || length%time.Second != 0 {
		return Rate{}, errors.New("must be a number of requests, a slash and a window of whole seconds up to 24h, such as 60/1m, or off")
	}

	return Rate{Limit: limit, Window: length}, nil
}

func level(at func(*Config) *slog.Level) func(*Config, string) error {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}

	return func(c *Config, value string) error {
		known, ok := levels[value]
		if !ok {
			return errors.New("must be debug, info, warn or error")
		}

		*at(c) = known

		return nil
	}
}

func address(value string) (string, error) {
	host, port, err := net.SplitHostPort(value)
	number, wrong := strconv.ParseUint(port, 10, 16)

	if err != nil || wrong != nil || strconv.FormatUint(number, 10) != port || strings.ContainsAny(host, " /@") {
		return "", errors.New("must be host:port with a port from 0 to 65535, such as 127.0.0.1:8080 or :8080")
	}

	return value, nil
}

func origin(value string) (string, error) {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "" {
		return "", errors.New("must be an address that begins with http:// or https:// and names a host, such as https://forms.example.com")
	}

	if strings.Trim(parsed.Path, "/") != "" || strings.ContainsAny(value, "?#") || parsed.User != nil {
		return "", errors.New("must have no path, query, fragment or user name, as in https://forms.example.com")
	}

	// Browsers and the header Location know such a name by its ASCII form only.
	if strings.ContainsFunc(parsed.Host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return "", errors.New("must have its host in ASCII, as in https://xn--mller-kva.example")
	}

	host := strings.TrimSuffix(strings.ToLower(parsed.Host), ":")

	return parsed.Scheme + "://" + strings.TrimSuffix(host, usualPorts[parsed.Scheme]), nil
}

// usualPorts are those that browsers leave out of an origin.
var usualPorts = map[string]string{"http": ":80", "https": ":443"}

// issuer is compared with what the provider says, letter by letter, so it is kept as it was given (OpenID Connect Discovery
// 1.0, section 4.3).
func issuer(value string) (string, error) {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil || strings.ContainsAny(value, "?#") {
		return "", errors.New("must be the address of an issuer, without a query, such as https://login.example.com")
	}

	if ip, err := netip.ParseAddr(parsed.Hostname()); parsed.Scheme != "https" &&
		(parsed.Scheme != "http" || parsed.Hostname() != "localhost" && (err != nil || !ip.IsLoopback())) {
		return "", errors.New("must begin with https://, unless the provider runs on this machine")
	}

	return value, nil
}

func databaseURL(value string) (string, error) {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		return "", errors.New("must be a PostgreSQL address such as postgres://user:password@host:5432/formonce, " +
			"with reserved characters of the password percent-encoded")
	}

	return value, nil
}

func secret(value string) (string, error) {
	if len([]rune(value)) < shortestSecret {
		return "", fmt.Errorf("must have at least %d characters; make one with: openssl rand -base64 48", shortestSecret)
	}

	return value, nil
}

func redisURL(value string) (string, error) {
	if _, err := redis.ParseURL(value); err != nil {
		return "", errors.New("must be a Redis address such as redis://:password@host:6379/0, rediss:// for TLS or unix:///path")
	}

	return value, nil
}

func sentryDSN(value string) (string, error) {
	if _, err := sentry.NewDsn(value); err != nil {
		return "", errors.New("must be a Sentry DSN such as https://key@sentry.example.com/1; copy it from the project's settings there")
	}

	return value, nil
}
