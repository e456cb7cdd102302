package moment_test

import (
	"testing"
	"time"

	"formonce/internal/moment"
)

func TestATimeIsWrittenInUTCWithAllSixDigits(t *testing.T) {
	t.Parallel()

	berlin := time.FixedZone("", 2*60*60)

	for given, want := range map[time.Time]string{
		time.Date(2026, 8, 24, 16, 34, 27, 651_841_999, berlin): "2026-08-24T14:34:27.651841Z",
		time.Date(2026, 1, 1, 1, 0, 0, 0, berlin):               "2025-12-31T23:00:00.000000Z",
	} {
		if got := moment.Write(given); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNowIsWrittenAndReadBackAsItIs(t *testing.T) {
	t.Parallel()

	now := moment.Now()

	again, err := time.Parse(time.RFC3339Nano, moment.Write(now))
	if err != nil || !again.Equal(now) || now.Location() != time.UTC {
		t.Errorf("%s became %s, %v", now, again, err)
	}
}
