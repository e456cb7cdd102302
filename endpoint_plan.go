package main

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"formonce/forms"
	"formonce/internal/fault"
	"formonce/tenants"
)

// plan is what applying a file would do.
type plan struct {
	EndpointID string          `json:"endpoint_id"`
	TenantID   string          `json:"tenant_id"`
	Action     string          `json:"action"`
	Settings   []settingChange `json:"settings"`
	Schema     schemaPlan      `json:"schema"`
	Applied    bool            `json:"applied"`

	owner    tenants.Tenant
	endpoint forms.Endpoint
	wanted   *forms.Schema
	// draft is the state of the draft that was looked at.
	draft int64
}

// The actions of a plan.
const (
	planCreate  = "create"
	planUpdate  = "update"
	planNothing = "nothing"
)

type settingChange struct {
	Name string `json:"name"`
	From any    `json:"from"`
	To   any    `json:"to"`
}

type schemaPlan struct {
	PublishedVersion int            `json:"published_version"`
	Publishes        bool           `json:"publishes"`
	Changes          []planChange   `json:"changes"`
	Conflicts        []planConflict `json:"conflicts"`
}

type planChange struct {
	Kind   forms.ChangeKind `json:"kind"`
	Field  string           `json:"field"`
	Member string           `json:"member"`
}

type planConflict struct {
	Key     string `json:"key"`
	Message string `json:"message"`
}

// planFor compares the file with what is there.
func planFor(ctx context.Context, s *store, owner tenants.Tenant, name string, text []byte) (*plan, error) {
	var named endpointFile
	if err := parseFile(name, text, &named); err != nil {
		return nil, err
	}

	made := &plan{TenantID: tenants.PublicID(owner.ID), EndpointID: named.ID, Action: planUpdate, owner: owner}

	current, err := s.directory.Get(ctx, owner.ID, named.ID)
	if fault.Has(err, "endpoint_not_found") {
		made.Action = planCreate
		current = forms.NewEndpoint(nameFrom(named.ID))
		current.ID = named.ID
	} else if err != nil {
		return nil, err
	}

	file := fileOf(&current)
	before := settingsIn(file)

	if err := parseFile(name, text, file); err != nil {
		return nil, err
	}

	made.endpoint = current
	file.applyTo(&made.endpoint)

	if err := made.endpoint.Check(); err != nil {
		return nil, err
	}

	made.compareSettings(before, settingsIn(fileOf(&made.endpoint)))

	if err := made.compareSchema(ctx, s, file); err != nil {
		return nil, err
	}

	if made.Action == planUpdate && len(made.Settings) == 0 && !made.Schema.Publishes {
		made.Action = planNothing
	}

	return made, nil
}

// settingsIn are the settings by the names that a file has for them.
func settingsIn(f *endpointFile) map[string]any {
	return map[string]any{
		"name": f.Name, "allowed_origins": slices.Clone(f.AllowedOrigins), "redirect_url": f.RedirectURL, "closed": f.Closed,
		"retention_days": f.RetentionDays, "keep_client_hash": f.KeepClientHash,
		"idempotency.required": f.Idempotency.Required, "idempotency.format": f.Idempotency.Format,
		"idempotency.order": f.Idempotency.Order, "idempotency.replay_status": f.Idempotency.ReplayStatus,
		"idempotency.tombstone_days": f.Idempotency.TombstoneDays,
		"spam.honeypot":              f.Spam.Honeypot, "spam.refuse": f.Spam.Refuse,
	}
}

func (p *plan) compareSettings(before, after map[string]any) {
	p.Settings = []settingChange{}

	for _, name := range slices.Sorted(maps.Keys(after)) {
		from, to := before[name], after[name]
		if !reflect.DeepEqual(from, to) && fmt.Sprint(from) != fmt.Sprint(to) {
			p.Settings = append(p.Settings, settingChange{name, from, to})
		}
	}
}

func (p *plan) compareSchema(ctx context.Context, s *store, file *endpointFile) error {
	p.Schema.Changes, p.Schema.Conflicts = []planChange{}, []planConflict{}
	if file.Schema == nil {
		return nil
	}

	p.wanted = file.Schema.Schema()

	diff, err := p.diff(ctx, s)
	if err != nil {
		return err
	}

	p.draft = diff.Revision
	p.Schema.PublishedVersion = diff.Published
	p.Schema.Publishes = len(diff.Changes) > 0 || diff.Published == 0

	for _, change := range diff.Changes {
		p.Schema.Changes = append(p.Schema.Changes, planChange(change))
	}

	for _, conflict := range diff.Conflicts {
		p.Schema.Conflicts = append(p.Schema.Conflicts, planConflict{conflict.Key, conflict.String()})
	}

	return nil
}

func (p *plan) diff(ctx context.Context, s *store) (forms.SchemaDiff, error) {
	if p.Action == planCreate {
		return forms.FirstChanges(p.wanted)
	}

	return s.schemas.ChangesOf(ctx, p.owner.ID, p.EndpointID, p.wanted)
}
