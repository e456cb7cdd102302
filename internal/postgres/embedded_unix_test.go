//go:build unix

package postgres

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A process that another thread is just starting holds every open file of ours until it has become the new program.
func TestALockThatWasGivenBackIsFreeWhoeverStillHoldsItsFile(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "lock")

	lock, err := lockFile(path)
	if err != nil {
		t.Fatal(err)
	}

	inherited, err := syscall.Dup(int(lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = syscall.Close(inherited) })

	if err := unlockFile(lock); err != nil {
		t.Fatal(err)
	}

	again, err := lockFile(path)
	if err != nil {
		t.Fatalf("the lock is not free: %v", err)
	}

	if err := unlockFile(again); err != nil {
		t.Error(err)
	}
}
