// Package api is the management side of the service: REST under /api/v1 for a tenant's members and programs. The table in
// router.go is all of it; openapi.yaml is its contract, joined from the files of contract/, one for each resource.
package api
