package id_test

import (
	"testing"

	"formonce/internal/id"
)

func TestAnIDHasOneSpelling(t *testing.T) {
	made := id.New()

	written := id.Write("sub_", made)
	if back, err := id.Parse("sub_", written); err != nil || back != made {
		t.Fatalf("%s came back as %v, %v", written, back, err)
	}

	for _, other := range []string{
		"", "sub_", written[4:], "ten_" + written[4:], "sub_" + made.String(), written + "0",
		"sub_0190A0B0C0D0E0F00102030405060708", "sub_zz90a0b0c0d0e0f00102030405060708",
	} {
		if _, err := id.Parse("sub_", other); err == nil {
			t.Errorf("%q passed as an id", other)
		}
	}
}

func TestIDsSortByTheTimeOfTheirMaking(t *testing.T) {
	last := ""
	for range 10_000 {
		next := id.Write("", id.New())
		if next <= last {
			t.Fatalf("%s was made after %s", next, last)
		}

		last = next
	}
}
