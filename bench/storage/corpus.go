package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	endpointsOfATenant = 6
	vocabulary         = 20_000
	// The first tenant's first endpoint has two fifths of everything, which is deep enough for page 1,000.
	shareOfTheBiggest = 0.40
	// Words of known frequency, for the searches.
	commonWord    = "please"  // in three of ten messages
	elsewhereWord = "voucher" // in one of twenty messages of every tenant but the first
	rareWord      = "zanzibar"
	rareEvery     = 20_000 // a rare word and a rare address stand in one of so many submissions
)

// corpus makes believable submissions, the same ones in every run.
type corpus struct {
	tenants []uuid.UUID
	words   []string
	random  *rand.Rand
	skewed  *rand.Zipf // words, as frequent as in a language
	busy    *rand.Zipf // tenants, few of them busy
	made    int
}

// submission is one row to be stored; what all rows have alike is left to the statements.
type submission struct {
	tenant      uuid.UUID
	id          uuid.UUID
	received    time.Time
	endpoint    string
	status      string
	keyHash     []byte
	fingerprint []byte
	fields      string
}

func newCorpus(tenants int) *corpus {
	random := rand.New(rand.NewPCG(1, 2))
	c := &corpus{
		random: random,
		skewed: rand.NewZipf(random, 1.1, 3, vocabulary-1),
		busy:   rand.NewZipf(random, 1.2, 4, uint64(max(tenants, 2)-1)),
	}

	for range max(tenants, 2) {
		c.tenants = append(c.tenants, c.random128())
	}

	for range vocabulary {
		c.words = append(c.words, c.word())
	}

	return c
}

// next makes a submission that was received at the given time.
func (c *corpus) next(received time.Time) submission {
	c.made++
	s := submission{
		id: c.timed(received), received: received, status: "accepted",
		keyHash: c.bytes32(), fingerprint: c.bytes32(),
	}
	first := c.random.Float64() < shareOfTheBiggest
	place, endpoint := 0, 0

	if !first {
		place, endpoint = int(c.busy.Uint64()), c.random.IntN(endpointsOfATenant) //nolint:gosec // Below the tenants.
	}

	s.tenant, s.endpoint = c.tenants[place], endpointID(place, endpoint)
	// The first endpoint of all gets no spam, which is the hardest question for an index on the status.
	if place+endpoint > 0 && c.random.IntN(20) == 0 {
		s.status = "spam"
	}

	s.fields = c.fields(place)

	return s
}

func endpointID(tenant, endpoint int) string { return fmt.Sprintf("contact-%d-%d", tenant, endpoint) }

// fields writes the ordered list of the fields as it is stored.
func (c *corpus) fields(place int) string {
	name := c.pick() + " " + c.pick()
	email := strings.ReplaceAll(name, " ", ".") + fmt.Sprintf("@%s.example", c.pick())

	if c.made%rareEvery == 0 {
		email = "rare@person.example"
	}

	pairs := [][2]string{
		{"name", name},
		{"email", email},
		{"phone", fmt.Sprintf("+49 30 %d", c.random.IntN(1e7))},
		{"message", c.message(place)},
		{"topics", []string{"sales", "support", "press", "jobs"}[c.random.IntN(4)]},
		{"topics", c.pick()},
		{"utm_source", []string{"newsletter", "search", "none"}[c.random.IntN(3)]},
		{"consent", "yes"},
	}

	members := make([]string, 0, len(pairs)+1)
	for _, pair := range pairs {
		members = append(members, "{"+quote(pair[0])+":"+quote(pair[1])+"}")
	}

	members = append(members, fmt.Sprintf(`{"budget":%d.50}`, c.random.IntN(100_000)))

	return "[" + strings.Join(members, ",") + "]"
}

func (c *corpus) message(place int) string {
	words := make([]string, 15+c.random.IntN(60))
	for i := range words {
		words[i] = c.pick()
	}

	if c.random.IntN(10) < 3 {
		words[0] = commonWord
	}

	if place != 0 && c.random.IntN(20) == 0 {
		words[1] = elsewhereWord
	}

	if c.made%rareEvery == 0 {
		words[2] = rareWord
	}

	return strings.Join(words, " ")
}

func (c *corpus) pick() string { return c.words[c.skewed.Uint64()] }

func (c *corpus) word() string {
	var word strings.Builder

	for range 2 + c.random.IntN(3) {
		word.WriteByte("bcdfghklmnprstvw"[c.random.IntN(16)])
		word.WriteByte("aeiou"[c.random.IntN(5)])
	}

	return word.String()
}

// timed makes a UUIDv7 of a time in the past (RFC 9562, 5.7).
func (c *corpus) timed(at time.Time) uuid.UUID {
	made := c.random128()

	var clock [8]byte

	binary.BigEndian.PutUint64(clock[:], uint64(at.UnixMilli()))
	copy(made[:6], clock[2:])
	made[6] = made[6]&0x0f | 0x70
	made[8] = made[8]&0x3f | 0x80

	return made
}

func (c *corpus) random128() uuid.UUID { return uuid.UUID(c.bytes32()[:16]) }

func (c *corpus) bytes32() []byte {
	var made []byte
	for range 4 {
		made = binary.BigEndian.AppendUint64(made, c.random.Uint64())
	}

	return made
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}

	return string(quoted)
}
