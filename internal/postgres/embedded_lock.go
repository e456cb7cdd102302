package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// What the owner of a DataDir is: the service, which others join, or a command, which others wait for.
const (
	roleServe   = "serve"
	roleCommand = "command"
)

// owner is what the lock file says of the process that holds it.
type owner struct{ pid, role string }

func (o owner) refusal(dataDir string) error {
	who := "another process"
	if o.pid != "" {
		who = "the process " + o.pid
	}

	return fmt.Errorf("%s already runs the database of DATA_DIR %s: stop it first, or set another DATA_DIR", who, dataDir)
}

// lockToServe refuses at once where another service runs, and lets a command finish that only passes by.
func lockToServe(ctx context.Context, dataDir string) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()

	for {
		lock, holder, err := tryLock(dataDir, roleServe)
		if lock != nil || err != nil {
			return lock, err
		}

		if holder.role == roleServe || !pause(ctx, 50*time.Millisecond) {
			return nil, holder.refusal(dataDir)
		}
	}
}

// tryLock takes the lock of a DataDir, which the system releases when the process ends in whatever way, or returns who
// has it.
func tryLock(dataDir, role string) (*os.File, owner, error) {
	path := filepath.Join(dataDir, "serve.lock")

	file, err := lockFile(path)
	if errors.Is(err, errLocked) {
		words := strings.Fields(string(contentOf(path)))
		if len(words) != 2 { // The owner has not written its name yet, or the system does not let others read it.
			return nil, owner{}, nil
		}

		return nil, owner{pid: words[0], role: words[1]}, nil
	}

	if err != nil {
		return nil, owner{}, fmt.Errorf("the lock of DATA_DIR cannot be taken, check who may write there: %w", err)
	}

	if err = file.Truncate(0); err == nil {
		_, err = fmt.Fprintln(file, os.Getpid(), role)
	}

	if err != nil {
		return nil, owner{}, errors.Join(fmt.Errorf("the lock of DATA_DIR cannot be written: %w", err), unlockFile(file))
	}

	return file, owner{}, nil
}

// contentOf is empty for a file that cannot be read: its readers wait and look again.
func contentOf(path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}

	return content
}
