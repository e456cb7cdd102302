package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// socketPort names the socket's file; in a folder of the server's own there is nothing to collide with.
	socketPort = 5432
	// longestSocket is what every system takes as the path of a socket.
	longestSocket = 100
	// socketFolder begins the names of folders made for sockets alone.
	socketFolder = "formonce-pg-"
)

// pidFile is what a server says of itself in postmaster.pid, line by line (PostgreSQL, miscadmin.h).
type pidFile struct {
	pid     int
	address address
	ready   bool
}

// readPidFile is empty where no server runs or was killed, and has no address while a server is still starting.
func readPidFile(cluster string) pidFile {
	var seen pidFile

	lines := strings.Split(string(contentOf(filepath.Join(cluster, "postmaster.pid"))), "\n")
	seen.pid, _ = strconv.Atoi(strings.TrimSpace(lines[0])) // Half a file is no server yet.

	if len(lines) > 4 {
		seen.address.port, _ = strconv.Atoi(strings.TrimSpace(lines[3])) // As above.
		seen.address.folder = strings.TrimSpace(lines[4])
	}

	seen.ready = len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready"

	return seen
}

// clearRemains ends a server whose parent was killed, and disarms the files of one that was killed itself: after a reboot
// or in a container its number may belong to another process by now, which PostgreSQL would take for a running server.
// Only the holder of DATA_DIR's lock may call it.
func (e *Embedded) clearRemains(ctx context.Context) error {
	left := readPidFile(e.cluster)
	if left.pid == 0 {
		return nil
	}

	if err := e.endOrphan(ctx, left.pid); err != nil {
		return err
	}

	socket := filepath.Join(left.address.folder, ".s.PGSQL."+strconv.Itoa(left.address.port))
	if left.address.folder != "" {
		_ = os.Remove(socket)           // An orderly end has removed both.
		_ = os.Remove(socket + ".lock") // As above.
	}

	if strings.HasPrefix(filepath.Base(left.address.folder), socketFolder) && left.address != e.address {
		_ = os.Remove(left.address.folder) // An empty folder in the way of nobody.
	}

	return disownPidFile(filepath.Join(e.cluster, "postmaster.pid"))
}

// disownPidFile writes this process in as the server: PostgreSQL takes a file with the number of its own parent for stale,
// and still reads the rest of it to see whether sessions of the killed server are alive.
func disownPidFile(path string) error {
	_, rest, found := strings.Cut(string(contentOf(path)), "\n")
	if !found || !parentIsKnown {
		return nil
	}

	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"+rest), 0o600); err != nil {
		return fmt.Errorf("%s of a killed server cannot be cleared: %w", path, err)
	}

	return nil
}

// endOrphan waits for a server that is shutting down, or asks it to, since nobody is left who would use it.
func (e *Embedded) endOrphan(ctx context.Context, pid int) error {
	for _, how := range []Shutdown{Fast, Immediate} {
		if !isPostmaster(ctx, pid, e.cluster) {
			return nil
		}

		orphan, err := os.FindProcess(pid)
		if err == nil {
			err = askToStop(orphan, how)
		}

		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("the server %d of an earlier start cannot be ended, end it by hand: %w", pid, err)
		}

		for until := time.Now().Add(stopLimit); time.Now().Before(until) && isPostmaster(ctx, pid, e.cluster); {
			if !pause(ctx, 10*time.Millisecond) {
				return context.Cause(ctx)
			}
		}
	}

	if isPostmaster(ctx, pid, e.cluster) {
		return fmt.Errorf("the server %d of an earlier start does not end, end it by hand", pid)
	}

	return nil
}

// chooseAddress prefers a socket in the cluster's own folder, which only its account can enter. It is chosen once, so
// that the URL outlives a server that is started again.
func (e *Embedded) chooseAddress(ctx context.Context) error {
	if e.address.port != 0 {
		return nil
	}

	e.address = address{folder: e.cluster, port: socketPort}
	if canListen(ctx, e.cluster) {
		return nil
	}

	folder, err := os.MkdirTemp("", socketFolder)
	if err == nil {
		e.address.folder = folder
		if giveTo(e.account, folder) == nil && canListen(ctx, folder) && e.canRunIn(ctx, folder) {
			return nil
		}

		_ = os.Remove(folder) // An empty folder in the way of nobody.
	}

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("there is neither a socket nor a free port on 127.0.0.1 for the database: %w", err)
	}

	bound, _ := listener.Addr().(*net.TCPAddr) // A TCP listener has no other kind.
	e.address = address{port: bound.Port}

	return listener.Close()
}

// canListen tries it: paths can be too long, and some shared and network folders hold no sockets.
func canListen(ctx context.Context, folder string) bool {
	path := filepath.Join(folder, ".s.PGSQL."+strconv.Itoa(socketPort))
	if !hasSockets || len(path) > longestSocket {
		return false
	}

	listener, err := new(net.ListenConfig).Listen(ctx, "unix", filepath.Join(folder, ".probe"))
	if err != nil {
		return false
	}

	return listener.Close() == nil
}

// tidySocket removes the folder that was made for the socket alone.
func (e *Embedded) tidySocket() error {
	if e.address.folder == "" || e.address.folder == e.cluster {
		return nil
	}

	return os.RemoveAll(e.address.folder)
}
