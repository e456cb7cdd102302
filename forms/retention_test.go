package forms_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"formonce/forms"
	"formonce/internal/fixture"
	"formonce/tenants"
)

func (h *house) eraser() *forms.Eraser {
	return forms.NewEraser(h.db, slog.New(slog.DiscardHandler))
}

func TestSubmissionsPastTheirRetentionAreErasedByAnyNumberOfProcesses(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	brief := h.endpoint("brief", func(e *forms.Endpoint) { e.RetentionDays = 2 })
	forever := h.endpoint("forever", nil)

	old := h.mustReceive(brief, post{body: "a=1", key: aKey})
	h.mustReceive(forever, post{body: "a=1", key: aKey})
	h.plenty("brief", 2_500)
	h.plenty("forever", 10)
	h.age("3 days")
	h.mustReceive(brief, post{body: "a=2"})

	var (
		log   fixture.Log
		group sync.WaitGroup
	)

	for range 4 {
		group.Go(func() {
			if err := forms.NewEraser(h.db, slog.New(slog.NewTextHandler(&log, nil))).Retain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}

	group.Wait()

	// What one process had in hands when another looked, the next pass finds.
	if err := h.eraser().Retain(t.Context()); err != nil {
		t.Fatal(err)
	}

	if n := h.count("SELECT count(*) FROM submissions WHERE endpoint_id = 'brief'"); n != 1 {
		t.Errorf("%d are left, want the one of today", n)
	}

	if n := h.count("SELECT count(*) FROM submissions WHERE endpoint_id = 'forever'"); n != 11 {
		t.Errorf("%d are left of an endpoint that keeps them, want 11", n)
	}

	if n := h.count("SELECT sum((changes ->> 'count')::int) FROM audit_log WHERE action = 'submissions.expired'"); n != 2_501 {
		t.Errorf("the audit log counts %d, want 2501", n)
	}

	if text := log.String(); !strings.Contains(text, "endpoint=brief") || strings.Contains(text, "forever") {
		t.Errorf("logged %s", text)
	}

	_, err := h.receive(brief, post{body: "a=1", key: aKey})
	wantCode(t, err, "submission_deleted")

	if h.count("SELECT count(*) FROM submissions WHERE id = $1", old.SubmissionID) != 0 {
		t.Error("it is back")
	}
}

// age makes everything that is stored older.
func (h *house) age(by string) {
	h.Helper()

	h.must(`UPDATE submissions SET received_at = received_at - $1::interval, id = (lpad(to_hex((extract(epoch FROM
		received_at - $1::interval) * 1000)::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid`, by)
}

func TestARetentionThatWasJustMadeLongerErasesNothing(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	brief := h.endpoint("brief", func(e *forms.Endpoint) { e.RetentionDays = 30 })
	h.mustReceive(brief, post{body: "a=1"})
	h.age("29 days")

	if err := h.eraser().Retain(t.Context()); err != nil {
		t.Fatal(err)
	}

	if h.submissions() != 1 {
		t.Error("it was erased a day too early")
	}
}

func TestAnErasedEndpointIsGoneAtOnceAndItsSubmissionsSoon(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("contact", nil)
	other := h.endpoint("other", nil)
	receipt := h.mustReceive(endpoint, post{body: "a=1", key: aKey})
	h.mustReceive(other, post{body: "a=1"})
	h.plenty("contact", 2_500)

	if err := h.directory.Erase(t.Context(), h.tenant.ID, "contact", endpoint.Revision+1); err == nil {
		t.Fatal("it was erased by somebody who knew another revision")
	}

	if err := h.directory.Erase(t.Context(), h.tenant.ID, "contact", endpoint.Revision); err != nil {
		t.Fatal(err)
	}

	h.wantUnseen(receipt)

	again := forms.NewEndpoint("Again")
	again.ID = "contact"
	_, err := h.directory.Create(t.Context(), h.tenant.ID, again)
	wantCode(t, err, "endpoint_id_taken")

	wantCode(t, h.directory.Erase(t.Context(), h.tenant.ID, "contact", 0), "endpoint_not_found")

	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if err := h.eraser().FinishEndpoints(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}

	group.Wait()

	// A visitor's process that did not know yet.
	h.mustReceive(endpoint, post{body: "a=late"})
	h.must("UPDATE endpoint_erasures SET requested_at = now() - interval '1 hour'")

	if err := h.eraser().FinishEndpoints(t.Context()); err != nil {
		t.Fatal(err)
	}

	for query, want := range map[string]int{
		"SELECT count(*) FROM submissions":                                              1,
		"SELECT count(*) FROM endpoint_erasures":                                        0,
		"SELECT count(*) FROM tombstones":                                               0,
		"SELECT count(*) FROM endpoint_directory":                                       2,
		"SELECT count(*) FROM endpoints":                                                1,
		"SELECT count(tenant_id) FROM endpoint_directory WHERE endpoint_id = 'contact'": 0,
	} {
		if got := h.count(query); got != want {
			t.Errorf("%s: got %d, want %d", query, got, want)
		}
	}
}

// wantUnseen looks for the submissions of an endpoint that was erased a moment ago, wherever they could be seen.
func (h *house) wantUnseen(receipt forms.Receipt) {
	h.Helper()

	_, err := h.directory.Get(h.Context(), h.tenant.ID, "contact")
	wantCode(h.T, err, "endpoint_not_found")

	lookup := forms.NewLookup(h.db, tenants.NewRegistry(h.db))
	_, err = lookup.Find(h.Context(), "contact")
	wantCode(h.T, err, "endpoint_not_found")

	_, err = h.inbox.Get(h.Context(), h.tenant.ID, receipt.SubmissionID)
	wantCode(h.T, err, "submission_not_found")
	wantCode(h.T, h.inbox.Erase(h.Context(), h.tenant.ID, receipt.SubmissionID), "submission_not_found")

	page, err := h.inbox.List(h.Context(), h.tenant.ID, forms.Filter{})
	if err != nil || len(page.Submissions) != 1 {
		h.Errorf("the list has %d, want 1: %v", len(page.Submissions), err)
	}

	if file := h.export(forms.ExportRequest{Format: forms.FormatJSONL}); bytes.Count(file, []byte("\n")) != 1 {
		h.Errorf("the export has\n%.300s", file)
	}

	feed := forms.NewFeed(h.db)
	if got := h.heard(h.listen(feed, strings.ReplaceAll(receipt.SubmissionID.String(), "-", ""))); len(got) != 1 {
		h.Errorf("the stream has %d", len(got))
	}
}

func TestDaysAreCountedByTheZoneAndTheEndpoint(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)
	h.endpoint("jobs", nil)

	for i, row := range []struct {
		endpoint, at string
		status       forms.Status
		replays      int
	}{
		{"contact", "2026-03-28T22:59:59Z", forms.StatusAccepted, 0}, // 28 March in Berlin
		{"contact", "2026-03-28T23:00:00Z", forms.StatusAccepted, 2}, // 29 March, a day of 23 hours
		{"contact", "2026-03-29T21:59:59Z", forms.StatusSpam, 0},
		{"contact", "2026-03-29T22:00:00Z", forms.StatusAccepted, 0}, // 30 March
		{"jobs", "2026-03-29T12:00:00Z", forms.StatusAccepted, 1},
	} {
		h.received(row.endpoint, row.at, row.status, row.replays, i)
	}

	berlin, _ := forms.ParseZone("Europe/Berlin")
	day := time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC)
	reports := forms.NewReports(h.db)

	for name, row := range map[string]struct {
		period forms.Period
		want   string
	}{
		"in Berlin":   {forms.Period{First: day, Last: day, Zone: berlin}, "[{2026-03-29 contact {2 1 2}} {2026-03-29 jobs {1 0 1}}] {3 1 3}"},
		"in UTC":      {forms.Period{First: day, Last: day}, "[{2026-03-29 contact {2 1 0}} {2026-03-29 jobs {1 0 1}}] {3 1 1}"},
		"one of them": {forms.Period{First: day.AddDate(0, 0, -1), Last: day, Zone: berlin, EndpointID: "contact"}, "[{2026-03-28 contact {1 0 0}} {2026-03-29 contact {2 1 2}}] {3 1 2}"},
	} {
		got, err := reports.Daily(t.Context(), h.tenant.ID, row.period)
		if text := fmt.Sprint(got.Days, got.Totals); err != nil || text != row.want {
			t.Errorf("%s: got %s, want %s, %v", name, text, row.want, err)
		}
	}

	for name, period := range map[string]forms.Period{
		"backwards": {First: day, Last: day.AddDate(0, 0, -1)}, "too long": {First: day, Last: day.AddDate(0, 0, 366)},
	} {
		if _, err := reports.Daily(t.Context(), h.tenant.ID, period); err == nil {
			t.Errorf("%s: no error", name)
		}
	}

	_, err := reports.Daily(t.Context(), h.tenant.ID, forms.Period{First: day, Last: day, EndpointID: "nobody"})
	wantCode(t, err, "endpoint_not_found")
}

// received stores a submission of a time.
func (h *house) received(endpointID, at string, status forms.Status, replays, n int) {
	h.Helper()

	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		h.Fatal(err)
	}

	made := forms.Submission{
		ID: idAt(when, byte(n)), EndpointID: endpointID, ReceivedAt: when, Status: status, ReplayCount: replays,
		Rules: forms.Rules{Family: forms.FamilyForm}, Fields: forms.Fields{field("n", fmt.Sprint(n))},
	}
	if err := h.inbox.Import(h.Context(), h.tenant.ID, []forms.Submission{made}); err != nil {
		h.Fatal(err)
	}
}

func TestTheUsageOfAnEndpointIsThisMonthAndAll(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("contact", nil)
	reports := forms.NewReports(h.db)

	if usage, err := reports.Usage(t.Context(), h.tenant.ID, "contact"); err != nil || !usage.LastReceivedAt.IsZero() {
		t.Errorf("got %+v, %v", usage, err)
	}

	h.received("contact", "2020-01-01T00:00:00Z", forms.StatusSpam, 0, 1)
	h.received("contact", "2020-01-01T00:00:00Z", forms.StatusAccepted, 3, 2)
	receipt := h.mustReceive(endpoint, post{body: "a=1", key: aKey})
	h.mustReceive(endpoint, post{body: "a=1", key: aKey})

	usage, err := reports.Usage(t.Context(), h.tenant.ID, "contact")
	if err != nil {
		t.Fatal(err)
	}

	if want := (forms.Counts{Received: 3, Spam: 1, ReplaysPrevented: 4}); usage.Total != want {
		t.Errorf("in all %+v, want %+v", usage.Total, want)
	}

	if want := (forms.Counts{Received: 1, ReplaysPrevented: 1}); usage.ThisMonth != want || !usage.LastReceivedAt.Equal(receipt.ReceivedAt) {
		t.Errorf("this month %+v, want %+v", usage, want)
	}

	_, err = reports.Usage(t.Context(), h.tenant.ID, "nobody")
	wantCode(t, err, "endpoint_not_found")
}

// idAt is an id of a moment.
func idAt(at time.Time, n byte) uuid.UUID {
	var made uuid.UUID

	binary.BigEndian.PutUint64(made[:8], uint64(at.UnixMilli())<<16|0x7000)
	made[8], made[15] = 0x80, n

	return made
}
