//go:build unix && !linux

package postgres

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
)

func dieWithParent(*syscall.SysProcAttr) {}

// watchParent starts a shell that reads from this process until it is gone, then asks the child for a fast shutdown. It
// is a best effort: a machine that kills both leaves the child to the next start.
func watchParent(pid int) func() {
	watcher := exec.CommandContext(context.Background(), "/bin/sh", "-c", `read -r _; kill -INT "$0"`, strconv.Itoa(pid))
	watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}

	line, err := watcher.StdinPipe()
	if err != nil || watcher.Start() != nil {
		return func() {}
	}

	return func() {
		_ = watcher.Process.Kill() // It has ended already.
		_ = line.Close()           // Nothing is written to it.
		_ = watcher.Wait()         // A killed process reports that it was killed.
	}
}
