package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"formonce/internal/config"
)

func TestProcessesThatStartTogetherGetOneSecret(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "deep", "data")
	got := make([]string, 20)

	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			made, err := (&config.Config{DataDir: dir}).Secret()
			if err != nil {
				t.Error(err)
			}

			got[i] = made
		})
	}

	all.Wait()

	for _, made := range got {
		if made != got[0] || len(made) < 32 {
			t.Fatalf("different or short secrets")
		}
	}

	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("left behind: %v, %v", entries, err)
	}

	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestADamagedOrOpenSecretIsRefusedAndNotReplaced(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	path := filepath.Join(dir, "secret.key")
	write(t, path, "short\n")

	if _, err := (&config.Config{DataDir: dir}).Secret(); err == nil || !strings.Contains(err.Error(), "damaged") || strings.Contains(err.Error(), "short") {
		t.Errorf("got %v", err)
	}

	write(t, path, strings.Repeat("k", 32))

	if err := os.Chmod(path, 0o604); err != nil {
		t.Fatal(err)
	}

	if _, err := (&config.Config{DataDir: dir}).Secret(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("got %v", err)
	}

	if kept, err := os.ReadFile(path); err != nil || string(kept) != strings.Repeat("k", 32) {
		t.Errorf("the file changed")
	}
}
