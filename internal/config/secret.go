package config

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	secretFile  = "secret.key"
	secretBytes = 48
	// folderMode lets other accounts pass through, since the embedded PostgreSQL may run under one of its own.
	folderMode fs.FileMode = 0o755
	// strangers are the permission bits of accounts that are neither the owner nor of its group. The group is left alone:
	// volumes of a cluster are often mounted with one.
	strangers fs.FileMode = 0o007
)

// Secret returns SecretKey, or for a service that was given none the one kept in DataDir/secret.key, made at the first
// call with the mode 0600. Processes that start at the same time get the same one.
func (c *Config) Secret() (string, error) {
	if c.SecretKey != "" {
		return c.SecretKey, nil
	}

	path := filepath.Join(c.DataDir, secretFile)

	kept, err := readSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return kept, err
	}

	if err := writeSecret(c.DataDir, path); err != nil {
		return "", fmt.Errorf("the service cannot keep its secret in DATA_DIR: %w; make the folder writable or set SECRET_KEY", err)
	}

	return readSecret(path)
}

// CheckSecret says what is wrong with the secret that is kept in dataDir. One that is still to be made is not wrong.
func CheckSecret(dataDir string) error {
	if _, err := readSecret(filepath.Join(dataDir, secretFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	return nil
}

func readSecret(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("the secret of the service cannot be found: %w; set SECRET_KEY or make DATA_DIR reachable", err)
	}

	if info.Mode().Perm()&strangers != 0 {
		return "", fmt.Errorf("%s can be read by every account of this machine; run: chmod 600 %s", path, path)
	}

	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the secret of the service cannot be read: %w; allow this account to read it", err)
	}

	kept, err := secret(strings.TrimSpace(string(content)))
	if err != nil {
		return "", fmt.Errorf("%s is damaged, it %w; restore it from your backup, since nothing else opens what was sealed with it",
			path, err)
	}

	return kept, nil
}

// writeSecret fills a file of another name and links it to its place, which fails when another process was first, so
// that no reader ever finds half a secret.
func writeSecret(dataDir, path string) error {
	if err := os.MkdirAll(dataDir, folderMode); err != nil {
		return err
	}

	draft, err := os.CreateTemp(dataDir, secretFile+".*")
	if err != nil {
		return err
	}

	defer func() { _ = os.Remove(draft.Name()) }()

	random := make([]byte, secretBytes)
	_, _ = rand.Read(random)

	_, err = draft.WriteString(base64.RawURLEncoding.EncodeToString(random) + "\n")
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}

	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}

	return nil
}
