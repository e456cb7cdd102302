package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

const (
	hasSockets    = false
	parentIsKnown = false
)

var errLocked = errors.New("locked by another process")

// account exists on unix only; PostgreSQL gives up an administrator's rights by itself here.
type account struct{}

func (*account) String() string { return "that runs this program" }

func chooseAccount(string) (*account, error) { return nil, nil } //nolint:nilnil // No account to change to is not a fault.

func attributes(*account) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func giveTo(*account, string) error { return nil }

func letPass(*account, string) error { return nil }

func watchParent(int) func() { return func() {} }

// lockFile opens the file for itself alone; the system closes it when the process ends.
func lockFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}

	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errno := syscall.Errno(32); errors.Is(err, errno) { // ERROR_SHARING_VIOLATION
		return nil, errLocked
	}

	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}

	return os.NewFile(uintptr(handle), path), nil
}

func unlockFile(file *os.File) error { return file.Close() }

// askToStop has no signal to send here: the server recovers at the next start, as after a crash.
func askToStop(server *os.Process, _ Shutdown) error { return server.Kill() }

// isPostmaster leaves the question to PostgreSQL, which knows its own processes.
func isPostmaster(context.Context, int, string) bool { return false }
