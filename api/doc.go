// Package api is the home of the management REST API under /api/v1. Until it stands, the commands of the binary make and
// change tenants, endpoints and submissions.
package api
