package main

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"formonce/forms"
)

const (
	// demoSeed makes every demo of one day alike, so that pictures of it and tests agree.
	demoSeed = 20260131
	// demoYear is how far back the history goes.
	demoYear = 365 * 24 * time.Hour
	// demoDay is the mean of a usual day at the end of the year; at its beginning there were half as many.
	demoDay      = 3.1
	spamShare    = 0.05
	replayShare  = 0.06
	companyShare = 0.35
	phoneShare   = 0.3

	newsletterShare = 0.25
)

// weekdayShare and hourShare are the rhythm of visitors at work: few at the weekend, most before and after noon.
var (
	weekdayShare = [7]float64{0.45, 1.25, 1.3, 1.2, 1.15, 0.95, 0.5} // Sunday first, as time.Weekday counts
	hourShare    = [24]float64{1, .5, .3, .2, .2, .4, 1, 2.5, 5, 7.5, 8.5, 8, 6, 6.5, 8, 8, 7, 5.5, 4.5, 4.5, 4.5, 4, 3, 2}
)

// demoHistory makes up a year of submissions that ends at end, the oldest first. It depends on nothing but its arguments.
func demoHistory(endpointID string, end time.Time) []forms.Submission {
	random := rand.New(rand.NewPCG(demoSeed, demoSeed))
	schema := demoSchema()
	begin := end.Add(-demoYear).Truncate(24 * time.Hour)

	var made []forms.Submission

	for day := begin; day.Before(end); day = day.Add(24 * time.Hour) {
		growth := 0.5 + 0.5*float64(day.Sub(begin))/float64(demoYear)
		expected := demoDay * growth * weekdayShare[day.Weekday()]

		for range around(random, expected) {
			at := day.Add(time.Duration(weighted(random, hourShare[:]))*time.Hour + time.Duration(random.Int64N(int64(time.Hour))))
			submission := demoSubmission(random, endpointID, at.Truncate(time.Microsecond))

			submission.Fields = schema.Normalize(submission.Fields)

			if at.Before(end) {
				made = append(made, submission)
			}
		}
	}

	slices.SortFunc(made, func(a, b forms.Submission) int { return cmp.Compare(a.ID.String(), b.ID.String()) })

	return made
}

// around returns a whole number between zero and twice the expected one, in the mean the expected one.
func around(random *rand.Rand, expected float64) int {
	return int(2*expected*random.Float64() + 0.5)
}

// weighted draws an index, each as often as its share says.
func weighted(random *rand.Rand, shares []float64) int {
	total := 0.0
	for _, share := range shares {
		total += share
	}

	left := random.Float64() * total
	for i, share := range shares {
		if left -= share; left < 0 {
			return i
		}
	}

	return len(shares) - 1
}

func demoSubmission(random *rand.Rand, endpointID string, at time.Time) forms.Submission {
	made := forms.Submission{
		ID: idOf(random, at), EndpointID: endpointID, ReceivedAt: at, Status: forms.StatusAccepted,
		Rules:  forms.Rules{Version: forms.RuleVersion, Schema: demoVersion, Family: forms.FamilyForm},
		Fields: demoFields(random),
	}

	if random.Float64() < spamShare {
		made.Status, made.Fields = forms.StatusSpam, spamFields(random)
	} else if random.Float64() < replayShare {
		made.ReplayCount = 1 + random.IntN(3)
	}

	return made
}

// idOf makes the UUIDv7 (RFC 9562, section 5.7) of a moment, so that the history sorts as if it had been received.
func idOf(random *rand.Rand, at time.Time) uuid.UUID {
	var made uuid.UUID

	binary.BigEndian.PutUint64(made[:8], uint64(at.UnixMilli())<<16|random.Uint64()&0x0fff|0x7000)
	binary.BigEndian.PutUint64(made[8:], random.Uint64()>>2|1<<63)

	return made
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

func field(name, value string) forms.Field { return forms.Field{Name: name, Value: forms.Text(value)} }

// demoFields are what a person sends: in their own language, with what they chose to fill in.
func demoFields(random *rand.Rand) forms.Fields {
	people := demoPeople[weighted(random, demoShares)]
	first, last := pick(random, people.first), pick(random, people.last)

	fields := forms.Fields{
		field("name", first[0]+" "+last[0]),
		field("email", first[1]+"."+last[1]+"@"+pick(random, demoDomains)),
	}

	if random.Float64() < companyShare {
		fields = append(fields, field("company", last[0]+" "+pick(random, people.companies)))
	}

	if random.Float64() < phoneShare {
		fields = append(fields, field("phone", people.phone+digits(random, people.phoneDigits)))
	}

	for _, topic := range demoTopics[:1+random.IntN(len(demoTopics))] {
		if random.Float64() < 0.4 {
			fields = append(fields, field("topics", topic))
		}
	}

	if random.Float64() < newsletterShare {
		fields = append(fields, field("newsletter", "on"))
	}

	message := pick(random, people.openings) + " " + pick(random, people.messages) + "\n\n" + pick(random, people.closings)

	return append(fields, field("message", message+"\n"+first[0]))
}

func digits(random *rand.Rand, count int) string {
	var made strings.Builder
	for range count {
		made.WriteByte(byte('0' + random.IntN(10))) //nolint:gosec // A digit.
	}

	return made.String()
}

// spamFields are what a program sends that fills in everything it finds.
func spamFields(random *rand.Rand) forms.Fields {
	bait := pick(random, demoSpam)

	return forms.Fields{
		field("name", bait[0]),
		field("email", "offer"+digits(random, 4)+"@example.net"),
		field("phone", "+44 20 7946 0"+digits(random, 3)),
		field("message", bait[1]+" https://"+digits(random, 5)+".example.net/"),
	}
}
