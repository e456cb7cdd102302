package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// locales are tried in this order: one that knows letters beyond ASCII and sorts by code point, so that no update of the
// system's C library ever breaks an index, then the one that every system has.
var locales = []string{"C.UTF-8", "C"}

// prepare finds the programs, the account and the cluster, and makes the cluster when DATA_DIR has none.
func (e *Embedded) prepare(ctx context.Context) error {
	cluster, found, err := clusterOf(e.options.DataDir)
	if err != nil {
		return err
	}

	major := 0
	if found {
		if major, err = majorOf(cluster); err != nil {
			return err
		}
	}

	if e.programs, err = findPrograms(ctx, e.options, major); err != nil {
		return err
	}

	if e.account, err = chooseAccount(cluster); err != nil {
		return err
	}

	if err = e.bringPrograms(ctx); err != nil {
		return err
	}

	e.remember(ctx)

	if !found {
		return e.create(ctx)
	}

	if e.cluster = cluster; !e.canRunIn(ctx, cluster) {
		return fmt.Errorf("the account %s, which runs PostgreSQL, cannot reach %s: let it pass through the folders above "+
			"(chmod o+x), or move DATA_DIR to where it can", e.account, cluster)
	}

	e.password, err = readPassword(e.options.DataDir)

	return err
}

// clusterOf follows the link that stands for a cluster outside DATA_DIR.
func clusterOf(dataDir string) (string, bool, error) {
	path := filepath.Join(dataDir, "postgres")

	resolved, err := filepath.EvalSymlinks(path)
	if err == nil {
		return resolved, !isEmpty(resolved), nil
	}

	if _, dangling := os.Lstat(path); dangling == nil || !errors.Is(err, fs.ErrNotExist) {
		return "", false, fmt.Errorf("the database that %s stands for is not there: bring its folder back, or remove the link "+
			"to begin anew: %w", path, err)
	}

	return "", false, nil
}

// isEmpty is false for a folder that cannot be read: something may be in it.
func isEmpty(folder string) bool {
	entries, err := os.ReadDir(folder)

	return err == nil && len(entries) == 0
}

func majorOf(cluster string) (int, error) {
	text, err := os.ReadFile(filepath.Join(cluster, "PG_VERSION"))
	if err != nil {
		return 0, fmt.Errorf("%s is no PostgreSQL database that this account can read: start as the account that made it, "+
			"or set another DATA_DIR: %w", cluster, err)
	}

	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s does not say which PostgreSQL made it, restore it from a backup: %w", cluster, err)
	}

	return major, nil
}

// create makes the cluster beside its place and renames it when it is whole, so that a start which is killed in the
// middle leaves nothing that the next one could take for a database.
func (e *Embedded) create(ctx context.Context) error {
	place, err := e.place(ctx)
	if err != nil {
		return err
	}

	leftovers, _ := filepath.Glob(filepath.Join(place, "postgres.new-*")) // The pattern is right.
	for _, leftover := range leftovers {
		if err = removeRemains(ctx, leftover); err != nil {
			e.options.Log.WarnContext(ctx, "the remains of an unfinished start cannot be removed", "folder", leftover)
		}
	}

	work, err := os.MkdirTemp(place, "postgres.new-*")
	if err != nil {
		return fmt.Errorf("the database's folder cannot be made: %w", err)
	}

	err = e.initialise(ctx, work)
	if err == nil {
		err = e.moveIn(filepath.Join(work, "data"), place)
	}

	return errors.Join(err, os.RemoveAll(work))
}

// removeRemains tries again for a while: what a killed start had begun may still write into the folder while it ends.
func removeRemains(ctx context.Context, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, remainsLimit)
	defer cancel()

	for {
		err := os.RemoveAll(folder)
		if err == nil || !pause(ctx, 20*time.Millisecond) {
			return err //nolint:wrapcheck // The caller says what could not be removed.
		}
	}
}

// initialise hands the password over in a file, because a process that gave up root may not open its standard input.
func (e *Embedded) initialise(ctx context.Context, work string) error {
	e.password = rand.Text()
	secret := filepath.Join(work, "password")

	if err := os.WriteFile(secret, []byte(e.password+"\n"), 0o600); err != nil {
		return fmt.Errorf("the database's password cannot be written: %w", err)
	}

	for _, path := range []string{work, secret} {
		if err := giveTo(e.account, path); err != nil {
			return err
		}
	}

	var failed error

	for _, locale := range locales {
		if failed = e.initdb(ctx, work, secret, locale); failed == nil {
			return nil
		}
	}

	return failed
}

func (e *Embedded) initdb(ctx context.Context, work, secret, locale string) error {
	arguments := []string{
		"--pgdata", filepath.Join(work, "data"), "--username", embeddedName, "--pwfile", secret, "--auth", "scram-sha-256",
		"--encoding", "UTF8", "--locale", locale, "--lc-messages", "C", "--data-checksums", "--no-instructions",
	}
	if e.options.Throwaway {
		arguments = append(arguments, "--no-sync")
	}

	var said strings.Builder

	command := e.command(ctx, work, "initdb", arguments...)
	command.Stdout, command.Stderr = &said, &said

	started, err := startProcess(command)
	if err != nil {
		return fmt.Errorf("initdb cannot be started: %w", err)
	}

	select {
	case <-started.ended:
	case <-ctx.Done():
		started.kill()

		return fmt.Errorf("the database was not made in time: %w", context.Cause(ctx))
	}

	if started.result != nil {
		return fmt.Errorf("the database cannot be made; initdb says: %s", strings.TrimSpace(said.String()))
	}

	return nil
}

// moveIn puts the password first: a cluster is never in its place without it.
func (e *Embedded) moveIn(made, place string) error {
	if err := writePassword(e.options.DataDir, e.password); err != nil {
		return err
	}

	link := filepath.Join(e.options.DataDir, "postgres")
	_ = os.Remove(link) // At most an empty folder stands there.

	e.cluster = filepath.Join(place, "postgres")

	if err := os.Rename(made, e.cluster); err != nil {
		return fmt.Errorf("the new database cannot be moved to its place: %w", err)
	}

	if place == e.options.DataDir {
		resolved, err := filepath.EvalSymlinks(e.cluster)
		e.cluster = resolved

		return err
	}

	if err := os.Symlink(e.cluster, link); err != nil {
		return fmt.Errorf("DATA_DIR cannot hold the link to its database: %w", err)
	}

	return nil
}

func passwordPath(dataDir string) string { return filepath.Join(dataDir, "postgres.password") }

func readPassword(dataDir string) (string, error) {
	text, err := os.ReadFile(passwordPath(dataDir))
	if err != nil {
		return "", fmt.Errorf("the database's password cannot be read, bring the file back or start as the account "+
			"that made it: %w", err)
	}

	return strings.TrimSpace(string(text)), nil
}

func writePassword(dataDir, password string) error {
	path := passwordPath(dataDir)

	file, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("the database's password cannot be kept in DATA_DIR: %w", err)
	}

	_, err = file.WriteString(password + "\n")

	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(path+".new", path)
	}

	if err != nil {
		return fmt.Errorf("the database's password cannot be kept in DATA_DIR: %w", err)
	}

	return nil
}

// nameOf makes a short name for a path, the same each time.
func nameOf(path string) string {
	sum := sha256.Sum256([]byte(path))

	return hex.EncodeToString(sum[:6])
}
