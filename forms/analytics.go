package forms

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

const (
	maxDays    = 366
	maxFigures = 20_000
)

// Reports counts a tenant's submissions.
type Reports struct {
	db *postgres.DB
}

// NewReports returns the counts of the submissions in db.
func NewReports(db *postgres.DB) *Reports { return &Reports{db: db} }

// Counts are numbers of submissions that are stored. One that was erased counts nowhere.
type Counts struct {
	// Received are all, spam included.
	Received int
	Spam     int
	// ReplaysPrevented are the retries that would have been duplicates, counted where their original is.
	ReplaysPrevented int
}

func (c *Counts) add(other Counts) {
	c.Received += other.Received
	c.Spam += other.Spam
	c.ReplaysPrevented += other.ReplaysPrevented
}

// Day is what came in on one day for one endpoint.
type Day struct {
	// Date is a day of the period's zone, as 2006-01-02.
	Date       string
	EndpointID string
	Counts
}

// Period is some whole days, First and Last included, in a time zone, UTC when it is nil. Only the dates of the two times count.
type Period struct {
	First, Last time.Time
	Zone        *time.Location
	// EndpointID narrows the report to one endpoint; empty for all.
	EndpointID string
}

// Analytics are the days of a period on which something came in, by date and endpoint, and the sums over all of them.
type Analytics struct {
	Days   []Day
	Totals Counts
}

// An id tells its time (UUIDv7), so that both counts read indexes only. One endpoint after the other, since the index of
// the inbox begins with it.
const (
	receivedByDay = `
SELECT e.id, d.day, d.found FROM endpoints AS e CROSS JOIN LATERAL (
    SELECT width_bucket(s.id, $4::uuid[]) AS day, count(*) AS found FROM submissions AS s
    WHERE s.tenant_id = $1 AND s.endpoint_id = e.id AND s.id >= $2 AND s.id < $3 GROUP BY 1
) AS d WHERE e.tenant_id = $1 AND ($5 = '' OR e.id = $5)`

	spamByDay = `
SELECT e.id, d.day, d.found FROM endpoints AS e CROSS JOIN LATERAL (
    SELECT width_bucket(s.id, $4::uuid[]) AS day, count(*) AS found FROM submissions AS s
    WHERE s.tenant_id = $1 AND s.endpoint_id = e.id AND s.id >= $2 AND s.id < $3
        AND s.status <> 'accepted' AND s.status = 'spam' GROUP BY 1
) AS d WHERE e.tenant_id = $1 AND ($5 = '' OR e.id = $5)`

	replaysByDay = `
SELECT s.endpoint_id, width_bucket(r.submission_id, $4::uuid[]) AS day, count(*) AS found
FROM replays AS r JOIN submissions AS s ON s.tenant_id = r.tenant_id AND s.id = r.submission_id
WHERE r.tenant_id = $1 AND r.submission_id >= $2 AND r.submission_id < $3 AND ($5 = '' OR s.endpoint_id = $5) GROUP BY 1, 2`
)

// Daily counts what came in on each day. The errors are the Faults invalid_period, too_many_figures and endpoint_not_found.
func (r *Reports) Daily(ctx context.Context, tenantID uuid.UUID, period Period) (Analytics, error) {
	begins, err := period.begins()
	if err != nil {
		return Analytics{}, err
	}

	found := map[Day]Counts{} // by days without counts

	err = r.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		if period.EndpointID != "" {
			if _, err := get(s.Gorm, tenantID, period.EndpointID); err != nil {
				return err
			}
		}

		for _, part := range []struct {
			query string
			of    func(*Counts) *int
		}{
			{receivedByDay, func(c *Counts) *int { return &c.Received }},
			{spamByDay, func(c *Counts) *int { return &c.Spam }},
			{replaysByDay, func(c *Counts) *int { return &c.ReplaysPrevented }},
		} {
			rows, err := s.Tx.Query(ctx, part.query, tenantID, begins.ids[0], begins.ids[len(begins.ids)-1], begins.ids, period.EndpointID)
			if err != nil {
				return err
			}

			if err := begins.collect(rows, found, part.of); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		return Analytics{}, postgres.Fault("count submissions", err)
	}

	return analyticsOf(found)
}

// beginnings are the dates of a period, and the least id of each and of the day after the last.
type beginnings struct {
	dates []string
	ids   []uuid.UUID
}

func (p Period) begins() (beginnings, error) {
	year, month, day := p.First.Date()
	first := time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
	year, month, day = p.Last.Date()
	days := int(time.Date(year, month, day, 12, 0, 0, 0, time.UTC).Sub(first).Hours()/24) + 1

	if days < 1 || days > maxDays {
		return beginnings{}, fault.New(fault.Invalid, "invalid_period",
			"A period has 1 to 366 days. Ask for since and until as dates, until not before since.")
	}

	var begins beginnings

	for i := range days + 1 {
		noon := first.AddDate(0, 0, i)
		begins.ids = append(begins.ids, firstIDAt(beginOf(noon, p.Zone)))

		if i < days {
			begins.dates = append(begins.dates, noon.Format(time.DateOnly))
		}
	}

	return begins, nil
}

// beginOf is the first moment of a date in a zone. It is not midnight where clocks are put forward at midnight.
func beginOf(date time.Time, zone *time.Location) time.Time {
	if zone == nil {
		zone = time.UTC
	}

	year, month, day := date.Date()

	begin := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if begin.Day() != day {
		begin = begin.Add(time.Hour)
	}

	return begin
}

func (b beginnings) collect(rows pgx.Rows, into map[Day]Counts, of func(*Counts) *int) error {
	var (
		endpointID string
		day, found int
	)

	_, err := pgx.ForEachRow(rows, []any{&endpointID, &day, &found}, func() error {
		key := Day{Date: b.dates[day-1], EndpointID: endpointID}
		counts := into[key]
		*of(&counts) = found
		into[key] = counts

		return nil
	})

	return err
}

func analyticsOf(found map[Day]Counts) (Analytics, error) {
	if len(found) > maxFigures {
		return Analytics{}, fault.New(fault.Invalid, "too_many_figures",
			"This report would be too long. Ask for fewer days, or for one endpoint.")
	}

	made := Analytics{Days: make([]Day, 0, len(found))}

	for day, counts := range found {
		day.Counts = counts
		made.Days = append(made.Days, day)
		made.Totals.add(counts)
	}

	slices.SortFunc(made.Days, func(a, b Day) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.EndpointID, b.EndpointID))
	})

	return made, nil
}
