//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	hasSockets    = true
	parentIsKnown = true
)

var errLocked = errors.New("locked by another process")

// account is whom PostgreSQL runs as when this process is root; nil means as this process.
type account struct{ uid, gid uint32 }

func (a *account) String() string {
	if a == nil {
		return "that runs this program"
	}

	if found, err := user.LookupId(strconv.FormatUint(uint64(a.uid), 10)); err == nil {
		return found.Username
	}

	return strconv.FormatUint(uint64(a.uid), 10)
}

// chooseAccount returns the owner of an existing cluster, since PostgreSQL opens no folder of another account. It knows
// no other way than passwd, which PostgreSQL asks as well.
func chooseAccount(cluster string) (*account, error) {
	self := uint32(os.Geteuid()) //nolint:gosec // Numbers of accounts are not negative on unix.

	var owner account

	if cluster != "" {
		info, err := os.Stat(cluster)
		if err != nil {
			return nil, fmt.Errorf("the database's folder cannot be read: %w", err)
		}

		if status, ok := info.Sys().(*syscall.Stat_t); ok {
			owner = account{uid: status.Uid, gid: status.Gid}
		}

		if self != 0 && owner.uid != self {
			return nil, fmt.Errorf("the database in %s belongs to the account %s: start as root or as that account, "+
				"or set another DATA_DIR", cluster, &owner)
		}
	}

	if self != 0 {
		return nil, nil //nolint:nilnil // No account to change to is not a fault.
	}

	if owner.uid != 0 {
		return &owner, nil
	}

	chosen, err := unprivileged()
	if err == nil && cluster != "" {
		err = giveAllTo(chosen, cluster)
	}

	return chosen, err
}

func unprivileged() (*account, error) {
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}

		uid, errUID := strconv.ParseUint(found.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(found.Gid, 10, 32)

		if errors.Join(errUID, errGID) == nil && uid != 0 {
			return &account{uid: uint32(uid), gid: uint32(gid)}, nil
		}
	}

	return nil, errors.New("PostgreSQL refuses to run as root, and this machine has neither an account postgres nor " +
		"nobody: start the service as another account")
}

// attributes put the child in a group of its own, so that Ctrl-C reaches the service alone, which stops it last.
func attributes(as *account) *syscall.SysProcAttr {
	made := &syscall.SysProcAttr{Setpgid: true}
	if as != nil {
		made.Credential = &syscall.Credential{Uid: as.uid, Gid: as.gid}
	}

	dieWithParent(made)

	return made
}

func giveTo(as *account, path string) error {
	if as == nil {
		return nil
	}

	if err := os.Lchown(path, int(as.uid), int(as.gid)); err != nil {
		return fmt.Errorf("the account %s cannot be given %s: %w", as, path, err)
	}

	return nil
}

// giveAllTo is for a cluster that root brought back from a backup.
func giveAllTo(as *account, root string) error {
	return filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, giveTo(as, path))
	})
}

// letPass opens a folder of root's to the group of the account: it may go through, and neither list nor read.
func letPass(as *account, folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}

	if status, ok := info.Sys().(*syscall.Stat_t); !ok || status.Uid != 0 {
		return errors.New("the folder is another account's")
	}

	return errors.Join(os.Chown(folder, -1, int(as.gid)), os.Chmod(folder, info.Mode().Perm()&0o700|0o010))
}

func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}

	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errLocked
	}

	if err != nil {
		return nil, errors.Join(err, file.Close())
	}

	return file, nil
}

// unlockFile says it, because a process that is just being started by another thread still holds what this one closes.
func unlockFile(file *os.File) error {
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}

var shutdownSignals = map[Shutdown]syscall.Signal{Fast: syscall.SIGINT, Immediate: syscall.SIGQUIT}

func askToStop(server *os.Process, how Shutdown) error { return server.Signal(shutdownSignals[how]) }

// isPostmaster tells a server of this cluster from another process with its number: the server's working folder is the
// cluster. Systems without /proc are asked for its command line.
func isPostmaster(ctx context.Context, pid int, cluster string) bool {
	folder, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err == nil {
		return folder == cluster
	}

	if _, err = os.Stat("/proc/self/cwd"); err == nil {
		return false
	}

	//nolint:gosec // The one argument is a number.
	line, err := exec.CommandContext(ctx, "ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()

	return err == nil && strings.Contains(string(line), cluster)
}
