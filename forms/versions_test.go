package forms_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"formonce/forms"
	"formonce/internal/fault"
)

// publish makes these fields the schema of the endpoint and returns the endpoint as the visitors' side finds it.
func (h *house) publish(endpointID string, schema *forms.Schema) *forms.Endpoint {
	h.Helper()

	schemas := forms.NewSchemas(h.db)

	if _, err := schemas.Save(h.Context(), h.tenant.ID, endpointID, 0, schema); err != nil {
		h.Fatalf("%v: %+v", err, fault.As(err).Issues)
	}

	if _, err := schemas.Publish(h.Context(), h.tenant.ID, endpointID, 0); err != nil {
		h.Fatalf("%v: %+v", err, fault.As(err).Issues)
	}

	return h.find(endpointID)
}

func (h *house) find(endpointID string) *forms.Endpoint {
	h.Helper()

	found, err := h.lookup().Find(h.Context(), endpointID)
	if err != nil {
		h.Fatal(err)
	}

	return found
}

func of(fields ...forms.SchemaField) *forms.Schema { return &forms.Schema{Fields: fields} }

func (h *house) version(endpoint *forms.Endpoint, unknown forms.UnknownFields, region string, fields ...forms.SchemaField) *forms.Endpoint {
	h.Helper()

	return h.publish(endpoint.ID, &forms.Schema{Fields: fields, Unknown: unknown, Region: region})
}

// TestARetryIsJudgedByTheSchemaThatAcceptedItsOriginal publishes another schema between a submission and its retry, in every
// direction: the retry is the same submission, and other content under its key is a conflict, whatever is asked for now.
func TestARetryIsJudgedByTheSchemaThatAcceptedItsOriginal(t *testing.T) {
	h := newHouse(t)

	text := forms.SchemaField{Key: "a", Type: forms.TypeText}
	short := forms.SchemaField{Key: "a", Type: forms.TypeText, MaxLength: 3}
	more := forms.SchemaField{Key: "b", Type: forms.TypeText, Required: true}
	phone := forms.SchemaField{Key: "p", Type: forms.TypePhone}
	mail := forms.SchemaField{Key: "m", Type: forms.TypeEmail}
	consent := func(said string) forms.SchemaField {
		return forms.SchemaField{Key: "c", Type: forms.TypeConsent, ConsentText: said, Required: true}
	}
	hidden := forms.SchemaField{Key: "b", Type: forms.TypeText, Shown: &forms.Condition{
		Field: "a", Is: forms.IsEqual, Values: []string{"x"},
	}}

	for _, row := range []struct {
		name        string
		then, now   *forms.Schema
		body, other string
	}{
		{"none then, one now", nil, of(short, more), "a=+long+text+", "a=+longer+text+"},
		{"stricter now", of(text), of(short, more), "a=+long+text+", "a=other"},
		{"looser now", of(short), of(text), "a=+x+", "a=y"},
		{"a key is removed", of(text, mail), of(mail), "a=x&m=Ada%40EXAMPLE.com", "a=y&m=Ada%40EXAMPLE.com"},
		{"unknown fields dropped, then kept", &forms.Schema{Fields: of(text).Fields, Unknown: forms.UnknownDrop}, of(text), "a=x&z=1", "a=y&z=1"},
		{"kept, then dropped", of(text), &forms.Schema{Fields: of(text).Fields, Unknown: forms.UnknownDrop}, "a=x&z=1", "a=x&z=2"},
		{"kept, then refused", of(text), &forms.Schema{Fields: of(text).Fields, Unknown: forms.UnknownRefuse}, "a=x&z=1", "a=x&z=2"},
		{"the consent says something else", of(text, consent("old")), of(text, consent("new")), "a=x&c=on", "a=y&c=on"},
		{
			"another region of phone numbers",
			&forms.Schema{Fields: of(phone).Fields, Region: "DE"}, &forms.Schema{Fields: of(phone).Fields, Region: "FR"},
			"p=030+23125+111", "p=030+23125+222",
		},
		{"a field is shown only sometimes now", of(text, more), of(text, hidden), "a=y&b=1", "a=y&b=2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			endpoint := h.endpoint("", nil)
			if row.then != nil {
				endpoint = h.publish(endpoint.ID, row.then)
			}

			want := h.mustReceive(endpoint, post{body: row.body, key: aKey})
			want.Replayed = true
			changed := h.publish(endpoint.ID, row.now)

			if again := h.mustReceive(changed, post{body: row.body, key: aKey}); again != want {
				t.Errorf("got %+v, want %+v", again, want)
			}

			_, err := h.receive(changed, post{body: row.other, key: aKey})
			if !fault.Has(err, "idempotency_conflict") && !fault.Has(err, "validation_failed") {
				t.Errorf("other content was answered with %v", err)
			}
		})
	}
}

// TestPublishingDisturbsNoRetry publishes version after version while retries run, each seeing the endpoint as it was at some
// moment: there is one submission, and all get its receipt.
func TestPublishingDisturbsNoRetry(t *testing.T) {
	t.Parallel()

	const retries, versions = 50, 6

	h := newHouse(t)
	endpoint := h.endpoint("contact-form", nil)
	lookup := h.lookup()
	schemas := forms.NewSchemas(h.db)
	endpoint = h.version(endpoint, forms.UnknownKeep, "", forms.SchemaField{Key: "a", Type: forms.TypeText})
	first := h.mustReceive(endpoint, post{body: "a=+long+text+&b=1", key: aKey})

	var group sync.WaitGroup

	group.Go(func() {
		for i := range versions {
			wanted := of(forms.SchemaField{Key: "a", Type: forms.TypeText, MaxLength: 3 + i}, forms.SchemaField{
				Key: fmt.Sprintf("f%d", i), Type: forms.TypeText, Required: true,
			})

			_, err := schemas.Save(t.Context(), h.tenant.ID, "contact-form", 0, wanted)
			if err == nil {
				_, err = schemas.Publish(t.Context(), h.tenant.ID, "contact-form", 0)
			}

			if err != nil {
				t.Error(err)
			}
		}
	})

	receipts := make([]forms.Receipt, retries)

	for i := range retries {
		group.Go(func() {
			seen, err := lookup.Find(t.Context(), "contact-form")
			if err == nil {
				receipts[i], err = h.receive(seen, post{body: "a=+long+text+&b=1", key: aKey})
			}

			if err != nil {
				t.Errorf("a retry was refused: %v", err)
			}
		})
	}

	group.Wait()

	first.Replayed = true

	for _, got := range receipts {
		if got != first {
			t.Errorf("got %+v, want %+v", got, first)
		}
	}

	if n := h.submissions(); n != 1 {
		t.Errorf("%d submissions are stored", n)
	}
}

// TestPublishingAtOnceCountsEveryVersionOnce lets many publish the same draft and others between them.
func TestPublishingAtOnceCountsEveryVersionOnce(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact-form", nil)

	schemas := forms.NewSchemas(h.db)

	var group sync.WaitGroup

	for i := range 16 {
		group.Go(func() {
			label := fmt.Sprint(i % 4)
			wanted := of(forms.SchemaField{Key: "a", Type: forms.TypeText, Label: label})

			_, err := schemas.Save(t.Context(), h.tenant.ID, "contact-form", 0, wanted)
			if err == nil {
				_, err = schemas.Publish(t.Context(), h.tenant.ID, "contact-form", 0)
			}

			if err != nil {
				t.Error(err)
			}
		})
	}

	group.Wait()

	found, err := schemas.Versions(t.Context(), h.tenant.ID, "contact-form", 0, 100)
	if err != nil {
		t.Fatal(err)
	}

	for i, version := range found {
		if version.Number != len(found)-i {
			t.Errorf("the %d-th newest of %d has the number %d", i, len(found), version.Number)
		}
	}

	if at := h.find("contact-form").SchemaVersion; at != len(found) {
		t.Errorf("the endpoint is at version %d of %d", at, len(found))
	}
}

func TestWhatIsStoredIsNormalisedAndNamesItsVersion(t *testing.T) {
	h := newHouse(t)
	endpoint := h.version(h.endpoint("", nil), forms.UnknownDrop, "DE",
		forms.SchemaField{Key: "email", Type: forms.TypeEmail, Required: true},
		forms.SchemaField{Key: "phone", Type: forms.TypePhone},
		forms.SchemaField{Key: "terms", Type: forms.TypeConsent, ConsentText: "I agree.", ConsentVersion: "2", Required: true})

	receipt := h.mustReceive(endpoint, post{body: "email=+Ada%40EXAMPLE.com+&phone=030+23125+111&terms=on&utm=x"})
	stored := h.stored(receipt.SubmissionID)

	got, want := string(forms.EncodeFields(stored.Fields)),
		`[{"email":"Ada@example.com"},{"phone":"+493023125111"},{"terms":{"agreed":true,"text":"I agree.","version":"2"}}]`
	if got != want || stored.Rules.Schema != 1 || receipt.SchemaVersion != 1 || receipt.FieldCount != 3 {
		t.Errorf("got %s by version %d and %+v, want %s", got, stored.Rules.Schema, receipt, want)
	}
}

// TestARefusalNamesEveryFaultInTheVisitorsLanguage goes through the wishes in the order in which they count.
func TestARefusalNamesEveryFaultInTheVisitorsLanguage(t *testing.T) {
	h := newHouse(t)
	endpoint := h.version(h.endpoint("", nil), forms.UnknownRefuse, "",
		forms.SchemaField{Key: "email", Type: forms.TypeEmail, Label: "E-Mail"},
		forms.SchemaField{Key: "name", Type: forms.TypeText, Required: true})

	for _, row := range []struct{ field, header, want string }{
		{"", "", forms.LanguageFor("en")},
		{"", "de-CH,de;q=0.9", "de"},
		{"fr", "de", "fr"},
		{"tlh", "ja", "ja"},
	} {
		asked := post{body: "email=nonsense&z=1&_language=" + row.field, key: aKey}.incoming()
		asked.Languages = row.header
		_, err := h.intake.Receive(t.Context(), endpoint, asked)

		refused, ok := errors.AsType[*fault.Fault](err)
		if !ok || refused.Code != "validation_failed" || refusals(err) != "email type, name required, z unknown" {
			t.Fatalf("got %v with %s", err, refusals(err))
		}

		wanted := endpointSentence(t, row.want)
		if refused.Message != wanted {
			t.Errorf("%+v was answered with %q, want %q", row, refused.Message, wanted)
		}
	}

	if n := h.submissions(); n != 0 {
		t.Errorf("%d refused submissions are stored", n)
	}
}

// endpointSentence is how a refusal begins in a language.
func endpointSentence(t *testing.T, language string) string {
	t.Helper()

	err := ready(t, forms.SchemaField{Key: "a", Type: forms.TypeText, Required: true}).Validate(nil, language)

	return fault.As(err).Message
}

func TestASubmissionOfWhichNothingIsLeftIsEmpty(t *testing.T) {
	h := newHouse(t)
	endpoint := h.version(h.endpoint("", nil), forms.UnknownDrop, "", forms.SchemaField{Key: "a", Type: forms.TypeText})

	for _, body := range []string{"", "z=1"} {
		_, err := h.receive(endpoint, post{body: body})
		wantCode(t, err, "empty_submission")
	}
}

// TestAPublishedSchemaCountsOnceTheChangeIsFollowed shows that a replica that remembers an endpoint learns of a version.
func TestAPublishedSchemaCountsOnceTheChangeIsFollowed(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)

	lookup := h.lookup()
	follow(t, lookup)
	h.foundName(lookup, "contact-form")
	h.publish("contact-form", of(forms.SchemaField{Key: "a", Type: forms.TypeText}))
	follow(t, lookup)

	if found, err := lookup.Find(t.Context(), "contact-form"); err != nil || found.SchemaVersion != 1 {
		t.Errorf("the replica is at version %d, %v", found.SchemaVersion, err)
	}
}

func TestASchemaGoesWithItsEndpointAndNotBefore(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)
	h.publish("contact-form", of(forms.SchemaField{Key: "a", Type: forms.TypeText}))

	for _, statement := range []string{"UPDATE endpoint_versions SET version = 7", "DELETE FROM endpoint_fields"} {
		if err := h.asManagement(statement); err == nil {
			t.Errorf("the management side may say %s", statement)
		}
	}

	if err := h.directory.Erase(t.Context(), h.tenant.ID, "contact-form", 0); err != nil {
		t.Fatal(err)
	}

	for _, table := range []string{"endpoint_drafts", "endpoint_versions", "endpoint_fields"} {
		if n := h.count("SELECT count(*) FROM " + table); n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
}

// TestTheSettingsOfAnEndpointDoNotTouchItsSchema guards the one row that both stand in.
func TestTheSettingsOfAnEndpointDoNotTouchItsSchema(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)
	h.publish("contact-form", of(forms.SchemaField{Key: "a", Type: forms.TypeText}))

	changed, err := h.directory.Update(t.Context(), h.tenant.ID, "contact-form", 0, func(e *forms.Endpoint) {
		e.Name, e.SchemaVersion = "Other", 0
	})
	if err != nil || changed.SchemaVersion != 1 || h.find("contact-form").SchemaVersion != 1 {
		t.Errorf("got version %d, %v", changed.SchemaVersion, err)
	}
}
