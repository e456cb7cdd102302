package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// place returns the folder for a new cluster: DATA_DIR, or one of the system's where the account that runs PostgreSQL
// cannot reach DATA_DIR, as below the home of root.
func (e *Embedded) place(ctx context.Context) (string, error) {
	dataDir := e.options.DataDir

	if e.canRunIn(ctx, dataDir) {
		return dataDir, nil
	}

	if e.canRunIn(ctx, filepath.Dir(dataDir)) && letPass(e.account, dataDir) == nil && e.canRunIn(ctx, dataDir) {
		return dataDir, nil
	}

	place := filepath.Join(e.options.SystemDir, nameOf(dataDir))

	err := e.openSystemDir(place)
	if err == nil {
		err = setAside(filepath.Join(place, "postgres"))
	}

	if err == nil && !e.canRunIn(ctx, place) {
		err = errors.New("the account cannot reach that either")
	}

	if err != nil {
		return "", fmt.Errorf("the account %s, which runs PostgreSQL, cannot reach DATA_DIR %s, and %s is no way out: set "+
			"DATA_DIR to a folder that everybody may pass to: %w", e.account, dataDir, place, err)
	}

	e.options.Log.WarnContext(ctx, "the database is kept outside DATA_DIR, which the account that runs PostgreSQL cannot reach",
		"account", e.account.String(), "folder", place)

	return place, nil
}

// openSystemDir makes a folder below SystemDir that others may pass through and not list.
func (e *Embedded) openSystemDir(path string) error {
	if err := os.MkdirAll(path, 0o711); err != nil { //nolint:gosec // The cluster in it is 0700; its owner has to pass.
		return err
	}

	//nolint:gosec // As above; the mask of this process may have left less.
	return errors.Join(os.Chmod(e.options.SystemDir, 0o711), os.Chmod(path, 0o711))
}

// setAside keeps the database of a DATA_DIR that was removed: a person may still want it.
func setAside(cluster string) error {
	err := os.Rename(cluster, cluster+time.Now().UTC().Format("-20060102T150405.000000"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	return err
}

// bringPrograms copies an installation that the account cannot reach, such as one in a checkout below the home of root.
func (e *Embedded) bringPrograms(ctx context.Context) error {
	if e.canRunIn(ctx, string(filepath.Separator)) {
		return nil
	}

	folder := e.programs.folder
	unreachable := fmt.Errorf("the account %s, which runs PostgreSQL, cannot run the programs in %s: let it pass through the "+
		"folders above (chmod o+x), or set PG_BIN_DIR to programs that it can reach", e.account, folder)

	info, err := os.Stat(e.programs.path("postgres"))
	if err != nil || !isInstallation(filepath.Dir(folder)) {
		return unreachable
	}

	target := filepath.Join(e.options.SystemDir, "programs-"+nameOf(fmt.Sprint(folder, info.Size(), info.ModTime().UnixNano())))

	if _, err = os.Stat(target); err != nil {
		if err = e.copyInstallation(filepath.Dir(folder), target); err != nil {
			return errors.Join(unreachable, err)
		}

		e.options.Log.WarnContext(ctx, "PostgreSQL's programs are copied to where the account that runs them can reach them",
			"account", e.account.String(), "folder", target)
	}

	e.programs.folder = filepath.Join(target, filepath.Base(folder))
	if !e.canRunIn(ctx, string(filepath.Separator)) {
		return unreachable
	}

	return nil
}

// isInstallation keeps the copy from taking a folder with much else in it, such as a home.
func isInstallation(root string) bool {
	found, err := filepath.Glob(filepath.Join(root, "share", "postgres*", "postgres.bki"))
	direct, errDirect := filepath.Glob(filepath.Join(root, "share", "postgres.bki"))

	return errors.Join(err, errDirect) == nil && len(found)+len(direct) > 0
}

func (e *Embedded) copyInstallation(root, target string) error {
	if err := e.openSystemDir(e.options.SystemDir); err != nil {
		return err
	}

	work, err := os.MkdirTemp(e.options.SystemDir, "programs.new-*")
	if err != nil {
		return err
	}

	for _, part := range []string{"bin", "lib", "share"} {
		if err = os.CopyFS(filepath.Join(work, part), os.DirFS(filepath.Join(root, part))); err != nil {
			return errors.Join(err, os.RemoveAll(work))
		}
	}

	//nolint:gosec // Programs are for everybody; nothing secret is among them.
	if err = errors.Join(os.Chmod(work, 0o755), os.Rename(work, target)); err == nil {
		return nil
	}

	if _, other := os.Stat(target); other == nil { // Another start was faster with the same copy.
		err = nil
	}

	return errors.Join(err, os.RemoveAll(work))
}
