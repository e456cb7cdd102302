package api

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"formonce/forms"
	"formonce/internal/fault"
	"formonce/internal/moment"
	"formonce/tenants"
)

var schemaRoutes = []route{
	{
		method: http.MethodGet, path: "/endpoints/:endpoint/schema", role: tenants.Viewer, scope: tenants.ReadEndpoints,
		handle: (*API).getSchema,
	},
	{
		method: http.MethodPut, path: "/endpoints/:endpoint/schema", role: tenants.Editor, scope: tenants.WriteEndpoints,
		handle: (*API).putSchema,
	},
	{
		method: http.MethodGet, path: "/endpoints/:endpoint/schema.json", role: tenants.Viewer, scope: tenants.ReadEndpoints,
		handle: (*API).exportDraft,
	},
	{
		method: http.MethodPost, path: "/endpoints/:endpoint/schema/import", role: tenants.Editor, scope: tenants.WriteEndpoints,
		once: true, handle: (*API).importSchema,
	},
	{
		method: http.MethodGet, path: "/endpoints/:endpoint/schema/changes", role: tenants.Viewer, scope: tenants.ReadEndpoints,
		handle: (*API).compareSchema,
	},
	{
		method: http.MethodPost, path: "/endpoints/:endpoint/schema/publish", role: tenants.Editor, scope: tenants.WriteEndpoints,
		once: true, handle: (*API).publishSchema,
	},
	{
		method: http.MethodGet, path: "/endpoints/:endpoint/versions", role: tenants.Viewer, scope: tenants.ReadEndpoints,
		handle: (*API).listVersions,
	},
	{
		method: http.MethodGet, path: "/endpoints/:endpoint/versions/:version", role: tenants.Viewer,
		scope: tenants.ReadEndpoints, handle: (*API).getVersion,
	},
	{
		method: http.MethodGet, path: "/endpoints/:endpoint/versions/:version/json-schema", role: tenants.Viewer,
		scope: tenants.ReadEndpoints, handle: (*API).exportVersion,
	},
}

// schemaDraft is a draft as programs see it.
type schemaDraft struct {
	SchemaDocument

	PublishedVersion int     `json:"published_version"`
	Differs          bool    `json:"differs"`
	UpdatedAt        *string `json:"updated_at"`
	// Notes are what an import could not carry over.
	Notes []string `json:"notes,omitempty"`
}

// schemaVersion is a published version as programs see it.
type schemaVersion struct {
	Version     int    `json:"version"`
	PublishedAt string `json:"published_at"`
	PublishedBy string `json:"published_by"`
	SchemaDocument
}

type schemaChanges struct {
	PublishedVersion int              `json:"published_version"`
	Changes          []schemaChange   `json:"changes"`
	Conflicts        []schemaConflict `json:"conflicts"`
}

type schemaChange struct {
	Kind   forms.ChangeKind `json:"kind"`
	Field  string           `json:"field"`
	Member string           `json:"member"`
}

type schemaConflict struct {
	Key       string          `json:"key"`
	Wanted    forms.FieldType `json:"wanted_type"`
	Published forms.FieldType `json:"published_type"`
	Since     int             `json:"since_version"`
	Message   string          `json:"message"`
}

func wireDraft(d forms.Draft) schemaDraft {
	shown := schemaDraft{SchemaDocument: DocumentOf(d.Schema), PublishedVersion: d.Published, Differs: d.Differs}

	if !d.UpdatedAt.IsZero() {
		at := moment.Write(d.UpdatedAt)
		shown.UpdatedAt = &at
	}

	return shown
}

func wireVersion(v forms.Version) schemaVersion {
	return schemaVersion{
		Version: v.Number, PublishedAt: moment.Write(v.PublishedAt), PublishedBy: v.PublishedBy,
		SchemaDocument: DocumentOf(v.Schema),
	}
}

func (a *API) getSchema(r *request) (reply, error) {
	found, err := a.Schemas.Draft(r.ctx(), r.caller.TenantID, r.param("endpoint"))
	if err != nil {
		return reply{}, err
	}

	return ok(wireDraft(found)).at(found.Revision), nil
}

func (a *API) putSchema(r *request) (reply, error) {
	revision, err := r.revision()
	if err != nil {
		return reply{}, err
	}

	var wanted SchemaDocument
	if err := r.decode(&wanted); err != nil {
		return reply{}, err
	}

	return a.saveSchema(r, revision, wanted.Schema(), nil)
}

func (a *API) importSchema(r *request) (reply, error) {
	revision, err := r.revision()
	if err != nil {
		return reply{}, err
	}

	wanted, notes, err := forms.SchemaFromJSONSchema(r.body)
	if err != nil {
		return reply{}, err
	}

	return a.saveSchema(r, revision, wanted, notes)
}

func (a *API) saveSchema(r *request, revision int64, wanted *forms.Schema, notes []string) (reply, error) {
	saved, err := a.Schemas.Save(r.ctx(), r.caller.TenantID, r.param("endpoint"), revision, wanted)
	if err != nil {
		return reply{}, err
	}

	shown := wireDraft(saved)
	shown.Notes = notes

	return ok(shown).at(saved.Revision), nil
}

func (a *API) compareSchema(r *request) (reply, error) {
	diff, err := a.Schemas.Changes(r.ctx(), r.caller.TenantID, r.param("endpoint"))
	if err != nil {
		return reply{}, err
	}

	return ok(wireChanges(diff)).at(diff.Revision), nil
}

func wireChanges(diff forms.SchemaDiff) schemaChanges {
	return schemaChanges{
		PublishedVersion: diff.Published,
		Changes:          each(diff.Changes, func(c forms.SchemaChange) schemaChange { return schemaChange(c) }),
		Conflicts: each(diff.Conflicts, func(k forms.KeyConflict) schemaConflict {
			return schemaConflict{k.Key, k.Wanted, k.Published, k.Since, k.String()}
		}),
	}
}

func (a *API) publishSchema(r *request) (reply, error) {
	revision, err := r.revision()
	if err != nil {
		return reply{}, err
	}

	published, err := a.Schemas.Publish(r.ctx(), r.caller.TenantID, r.param("endpoint"), revision)
	if err != nil {
		return reply{}, err
	}

	return ok(wireVersion(published)), nil
}

const usualPage = 50

func (a *API) listVersions(r *request) (reply, error) {
	if err := r.onlyQueries("limit", "cursor"); err != nil {
		return reply{}, err
	}

	limit, err := r.limit()
	if err != nil {
		return reply{}, err
	}

	if limit == 0 {
		limit = usualPage
	}

	before, err := versionCursor(r.query("cursor"))
	if err != nil {
		return reply{}, err
	}

	found, err := a.Schemas.Versions(r.ctx(), r.caller.TenantID, r.param("endpoint"), before, limit)
	if err != nil {
		return reply{}, err
	}

	next := ""
	if last := len(found) - 1; last+1 == limit && found[last].Number > 1 {
		next = strconv.Itoa(found[last].Number)
	}

	return ok(listOf(each(found, wireVersion), next)), nil
}

func versionCursor(text string) (int, error) {
	if text == "" {
		return 0, nil
	}

	before, err := strconv.ParseInt(text, 10, 32)
	if err != nil || before < 1 {
		return 0, fault.New(fault.Invalid, "invalid_cursor",
			"This cursor is none of ours. Start without one, and pass on what next_cursor says.")
	}

	return int(before), nil
}

func (a *API) getVersion(r *request) (reply, error) {
	found, err := a.version(r)
	if err != nil {
		return reply{}, err
	}

	return ok(wireVersion(found)), nil
}

// version reads the one of the path. What is no number is the version of nothing.
func (a *API) version(r *request) (forms.Version, error) {
	number, err := strconv.ParseInt(r.param("version"), 10, 32)
	if err != nil {
		number = 0
	}

	return a.Schemas.Version(r.ctx(), r.caller.TenantID, r.param("endpoint"), int(number))
}

func (a *API) exportVersion(r *request) (reply, error) {
	found, err := a.version(r)
	if err != nil {
		return reply{}, err
	}

	return jsonSchema(found.Schema)
}

func (a *API) exportDraft(r *request) (reply, error) {
	found, err := a.Schemas.Draft(r.ctx(), r.caller.TenantID, r.param("endpoint"))
	if err != nil {
		return reply{}, err
	}

	return jsonSchema(found.Schema)
}

func jsonSchema(s *forms.Schema) (reply, error) {
	document, err := s.JSONSchema()
	if err != nil {
		return reply{}, err
	}

	return ok(jsontext.Value(document)), nil
}
