package api

import (
	"net/http"

	"formonce/tenants"
)

// endpointEraseRoutes ask for more than the other rows of endpoints: nothing brings the submissions back.
var endpointEraseRoutes = []route{
	{
		method: http.MethodDelete, path: "/endpoints/:endpoint", role: tenants.Admin, scope: tenants.WriteEndpoints,
		handle: (*API).eraseEndpoint,
	},
}

func (a *API) eraseEndpoint(r *request) (reply, error) {
	revision, err := r.revision()
	if err != nil {
		return reply{}, err
	}

	if err := a.Directory.Erase(r.ctx(), r.caller.TenantID, r.param("endpoint"), revision); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}
