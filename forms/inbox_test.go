package forms_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"formonce/forms"
)

// words are few, so that searches of any two of them meet often.
var words = []string{"alpha", "Alphabet", "beta", "Émile", "山田太郎", "gamma"}

// model is an inbox that a reader can check at a glance: a list, and a filter that looks at each of its members.
type model struct{ all []forms.Submission }

func (m *model) meant(f forms.Filter) []uuid.UUID {
	var ids []uuid.UUID

	for i := range m.all {
		if holds(&m.all[i], f) {
			ids = append(ids, m.all[i].ID)
		}
	}

	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(b.String(), a.String()) })

	return ids
}

func holds(s *forms.Submission, f forms.Filter) bool {
	value := s.Fields[0].Value.String()
	typed := strings.Fields(unaccented(f.Query))

	for i, word := range typed {
		begins := i == len(typed)-1

		if !slices.ContainsFunc(strings.Split(unaccented(value), ", "), func(said string) bool {
			return said == word || begins && strings.HasPrefix(said, word)
		}) {
			return false
		}
	}

	for _, field := range f.Fields {
		if field.Name != s.Fields[0].Name || field.Value != value {
			return false
		}
	}

	return (f.EndpointID == "" || f.EndpointID == s.EndpointID) &&
		(f.Status == "" || f.Status == s.Status) &&
		(f.Tag == "" || slices.Contains(s.Tags, f.Tag)) &&
		(f.Starred == nil || *f.Starred == s.Starred) &&
		(f.Read == nil || *f.Read == s.Read) &&
		(f.Since.IsZero() || !s.ReceivedAt.Before(f.Since)) &&
		(f.Until.IsZero() || s.ReceivedAt.Before(f.Until))
}

// TestEveryFilterMeansWhatItSays compares the inbox, under random combinations of all filters and of page sizes, with a
// walk over a list.
func TestEveryFilterMeansWhatItSays(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	m := h.furnished(120)

	rapid.Check(t, func(r *rapid.T) {
		filter := m.filter(r)
		limit := rapid.IntRange(1, 20).Draw(r, "limit")
		want := m.meant(filter)

		var got []uuid.UUID

		for filter.Limit = limit; ; {
			page, err := h.inbox.List(context.Background(), h.tenant.ID, filter)
			if err != nil {
				r.Fatal(err)
			}

			for i := range page.Submissions {
				got = append(got, page.Submissions[i].ID)
			}

			if filter.Cursor = page.NextCursor; filter.Cursor == "" {
				break
			}

			if len(page.Submissions) != limit {
				r.Fatalf("a page that is not the last has %d of %d", len(page.Submissions), limit)
			}
		}

		if !slices.Equal(got, want) {
			r.Fatalf("%+v\ngot  %v\nwant %v", filter, got, want)
		}
	})
}

func unaccented(text string) string {
	return strings.NewReplacer("é", "e", "É", "e").Replace(strings.ToLower(text))
}

func (m *model) filter(r *rapid.T) forms.Filter {
	var f forms.Filter

	maybe := func(name string, set func()) {
		if rapid.Bool().Draw(r, name) {
			set()
		}
	}
	yesOrNo := func(name string) *bool {
		chosen := rapid.Bool().Draw(r, name)
		return &chosen
	}

	maybe("by endpoint", func() { f.EndpointID = rapid.SampledFrom([]string{"first", "second"}).Draw(r, "endpoint") })
	maybe("by status", func() {
		f.Status = rapid.SampledFrom([]forms.Status{forms.StatusAccepted, forms.StatusSpam}).Draw(r, "status")
	})
	maybe("by words", func() {
		f.Query = strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 2).Draw(r, "words"), " ")
		if rapid.Bool().Draw(r, "typing") {
			f.Query += " al"
		}
	})
	maybe("by field", func() {
		f.Fields = []forms.FieldIs{{Name: "said", Value: m.all[rapid.IntRange(0, len(m.all)-1).Draw(r, "value")].Fields[0].Value.String()}}
	})
	maybe("by tag", func() { f.Tag = rapid.SampledFrom([]string{"vip", "later"}).Draw(r, "tag") })
	maybe("by star", func() { f.Starred = yesOrNo("starred") })
	maybe("by read", func() { f.Read = yesOrNo("read") })
	maybe("since", func() { f.Since = m.all[rapid.IntRange(0, len(m.all)-1).Draw(r, "since")].ReceivedAt })
	maybe("until", func() { f.Until = m.all[rapid.IntRange(0, len(m.all)-1).Draw(r, "until")].ReceivedAt })

	return f
}

// furnished fills the inbox with n submissions of two endpoints and marks some of them, all findable.
func (h *house) furnished(n int) *model {
	h.Helper()

	for _, endpoint := range []string{"first", "second"} {
		h.endpoint(endpoint, nil)
	}

	m := &model{}
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	for i := range n {
		s := imagined(begin.Add(time.Duration(i)*time.Hour), []string{"first", "second"}[i%2],
			words[i%len(words)]+", "+words[i/7%len(words)])
		if i%5 == 0 {
			s.Status = forms.StatusSpam
		}

		m.all = append(m.all, s)
	}

	if err := h.inbox.Import(h.Context(), h.tenant.ID, m.all); err != nil {
		h.Fatal(err)
	}

	for i := range m.all {
		h.mark(&m.all[i], i)
	}

	h.index()

	return m
}

func (h *house) mark(s *forms.Submission, i int) {
	h.Helper()

	yes := true
	changes := forms.Changes{}

	if s.Starred = i%4 == 0; s.Starred {
		changes.Starred = &yes
	}

	if s.Read = i%3 == 0; s.Read {
		changes.Read = &yes
	}

	if i%6 < 2 {
		s.Tags = []string{"vip", "later"}[i%6 : i%6+1]
		changes.Tags = &s.Tags
	}

	if _, err := h.inbox.Update(h.Context(), h.tenant.ID, s.ID, changes); err != nil {
		h.Fatal(err)
	}
}

// imagined is a submission that was received at this time and says one thing.
func imagined(at time.Time, endpoint, said string) forms.Submission {
	made := uuid.Must(uuid.NewV7())
	millis := at.UnixMilli()

	for i := range 6 {
		made[i] = byte(millis >> (40 - 8*i))
	}

	return forms.Submission{
		ID: made, EndpointID: endpoint, ReceivedAt: at, Status: forms.StatusAccepted,
		Rules:  forms.Rules{Version: forms.RuleVersion, Family: forms.FamilyForm},
		Fields: forms.Fields{{Name: "said", Value: forms.Text(said)}},
	}
}

func (h *house) index() {
	h.Helper()

	if err := h.inbox.Index(h.Context()); err != nil {
		h.Fatal(err)
	}
}

// TestPagesStayWholeWhileSubmissionsArrive turns the pages of an inbox that grows: what was there at the beginning is met
// once each.
func TestPagesStayWholeWhileSubmissionsArrive(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("busy", nil)

	for i := range 60 {
		h.mustReceive(endpoint, post{body: fmt.Sprintf("said=hello+%d", i)})
	}

	h.index()

	for _, query := range []string{"", "hello"} {
		want, _ := h.inbox.List(t.Context(), h.tenant.ID, forms.Filter{Query: query, Limit: 100})
		seen := map[uuid.UUID]int{}

		stop := make(chan struct{})
		stopped := make(chan struct{})

		go func() {
			defer close(stopped)

			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					h.mustReceive(endpoint, post{body: fmt.Sprintf("said=hello+again+%d", i)})
					h.index()
				}
			}
		}()

		for filter := (forms.Filter{Query: query, Limit: 7}); ; {
			page, err := h.inbox.List(t.Context(), h.tenant.ID, filter)
			if err != nil {
				t.Fatal(err)
			}

			for i := range page.Submissions {
				seen[page.Submissions[i].ID]++
			}

			if filter.Cursor = page.NextCursor; filter.Cursor == "" {
				break
			}
		}

		close(stop)
		<-stopped

		for i := range want.Submissions {
			if n := seen[want.Submissions[i].ID]; n != 1 {
				t.Errorf("searching %q, a submission was met %d times", query, n)
			}
		}

		for _, n := range seen {
			if n != 1 {
				t.Errorf("searching %q, something was met %d times", query, n)
			}
		}
	}
}
