package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Limits of time: a start may have to recover much, the remains of a killed server need only be noticed.
const (
	startLimit   = 3 * time.Minute
	remainsLimit = 20 * time.Second
	stopLimit    = 7 * time.Second
)

// settings of the embedded server. What it logs is cut down to its own life, since its errors quote submitted values.
var settings = []string{
	"max_connections=100",
	"shared_buffers=128MB",
	"logging_collector=off",
	"log_destination=stderr",
	"log_min_messages=log",
	"log_min_error_statement=panic",
	"log_error_verbosity=terse",
	"log_statement=none",
	"log_min_duration_statement=-1",
	"log_parameter_max_length=0",
	"log_parameter_max_length_on_error=0",
	"log_checkpoints=off",
	"lc_messages=C",
	"unix_socket_permissions=0700",
}

// throwawaySettings give up what protects data when the machine stops. Commits stay synchronous, which costs little
// without fsync, so that a killed process still loses nothing.
var throwawaySettings = []string{"fsync=off", "full_page_writes=off", "max_connections=300", "autovacuum_naptime=1h"}

// errRemains says that processes or files of a killed server are still in the way.
var errRemains = errors.New("remains of a killed server are in the way")

// process is a child that ends when this process does.
type process struct {
	command *exec.Cmd
	ended   chan struct{}
	result  error
}

// startProcess keeps the thread that started the child for as long as the child lives: the system takes the end of that
// thread for the end of the parent.
func startProcess(command *exec.Cmd) (*process, error) {
	child := &process{command: command, ended: make(chan struct{})}
	started := make(chan error, 1)

	go func() {
		runtime.LockOSThread()
		defer close(child.ended)

		err := command.Start()
		started <- err

		if err == nil {
			release := watchParent(command.Process.Pid)
			child.result = command.Wait()

			release()
		}
	}()

	return child, <-started
}

// kill is for what has no orderly way to stop or did not take it.
func (p *process) kill() {
	_ = p.command.Process.Kill() // It fails only for a process that has ended.
	<-p.ended
}

// end asks, asks less kindly when the time is over, and kills at last.
func (p *process) end(ctx context.Context, how Shutdown) {
	select {
	case <-p.ended:
		return
	default:
	}

	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()

	if askToStop(p.command.Process, how) == nil && p.endedWithin(ctx) {
		return
	}

	last, cancelLast := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancelLast()

	if askToStop(p.command.Process, Immediate) != nil || !p.endedWithin(last) {
		p.kill()
	}
}

func (p *process) endedWithin(ctx context.Context) bool {
	select {
	case <-p.ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// command runs a program as the account, with an environment of its own: the service's holds secrets.
func (e *Embedded) command(ctx context.Context, folder, program string, arguments ...string) *exec.Cmd {
	//nolint:gosec // The program is looked for on purpose; the arguments are this package's.
	command := exec.CommandContext(context.WithoutCancel(ctx), e.programs.path(program), arguments...)
	command.Dir = folder
	command.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=/usr/bin:/bin"}
	command.SysProcAttr = attributes(e.account)

	return command
}

// canRunIn says whether the account can start PostgreSQL's programs and pass to the folder.
func (e *Embedded) canRunIn(ctx context.Context, folder string) bool {
	return e.account == nil || e.command(ctx, folder, "postgres", "--version").Run() == nil
}

// run starts the server on what an earlier one left, and returns once it takes connections.
func (e *Embedded) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()

	if err := e.clearRemains(ctx); err != nil {
		return err
	}

	if err := e.chooseAddress(ctx); err != nil {
		return err
	}

	patient := time.Now().Add(remainsLimit)

	for {
		err := e.launch(ctx)
		if !errors.Is(err, errRemains) || time.Now().After(patient) || !pause(ctx, 100*time.Millisecond) {
			return err
		}
	}
}

// keep starts a server again that ended by itself, as after the system ran out of memory.
func (e *Embedded) keep(ctx context.Context) {
	defer close(e.kept)

	for e.process.endedWithin(ctx) {
		e.options.Log.ErrorContext(ctx, "the embedded PostgreSQL ended by itself and is started again", "log", e.logPath())

		for err := e.run(ctx); err != nil; err = e.run(ctx) {
			if !pause(ctx, time.Second) {
				return
			}

			e.options.Log.ErrorContext(ctx, "the embedded PostgreSQL does not start, the next try follows", "error", Describe(err))
		}
	}
}

func (e *Embedded) launch(ctx context.Context) error {
	log, err := e.openLog()
	if err != nil {
		return err
	}

	command := e.command(ctx, e.cluster, "postgres", e.arguments()...)
	command.Stdout, command.Stderr = log, log

	e.process, err = startProcess(command)
	if err = errors.Join(err, log.Close()); err != nil {
		return fmt.Errorf("PostgreSQL cannot be started: %w", err)
	}

	if err = e.awaitReady(ctx); err != nil {
		e.process.end(ctx, Fast)
	}

	return err
}

func (e *Embedded) awaitReady(ctx context.Context) error {
	for {
		seen := readPidFile(e.cluster)
		if seen.ready && seen.pid == e.process.command.Process.Pid {
			return e.ensureDatabase(ctx)
		}

		select {
		case <-e.process.ended:
			return e.notStarted()
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL was not ready in time, see %s: %w", e.logPath(), context.Cause(ctx))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// notStarted quotes the end of the server's log, which says what the matter is and holds no values.
func (e *Embedded) notStarted() error {
	said := strings.TrimSpace(string(contentOf(e.logPath())))
	said = said[max(0, len(said)-1000):]

	if strings.Contains(said, "shared memory block") || strings.Contains(said, "lock file") {
		return fmt.Errorf("PostgreSQL does not start, end the processes of an earlier one: %w: %s", errRemains, said)
	}

	return fmt.Errorf("PostgreSQL does not start (%w); the end of %s is: %s", e.process.result, e.logPath(), said)
}

// noSuchDatabase is a SQLSTATE (PostgreSQL, appendix A: invalid_catalog_name).
const noSuchDatabase = "3D000"

// ensureDatabase makes the service's database, which a start that was killed may have left out.
func (e *Embedded) ensureDatabase(ctx context.Context) error {
	err := e.answers(ctx)

	if !hasCode(err, noSuchDatabase) {
		return err
	}

	conn, err := pgx.Connect(ctx, e.urlOf("postgres"))
	if err != nil {
		return fmt.Errorf("the new database does not let its owner in: %w", err)
	}

	_, err = conn.Exec(ctx, "CREATE DATABASE "+embeddedName)

	return errors.Join(err, conn.Close(ctx))
}

func (e *Embedded) isUp(ctx context.Context) bool { return e.answers(ctx) == nil }

func (e *Embedded) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()

	conn, err := pgx.Connect(ctx, e.URL())
	if err != nil {
		return fmt.Errorf("the embedded PostgreSQL does not let its owner in: %w", err)
	}

	return conn.Close(ctx)
}

func (e *Embedded) arguments() []string {
	all := []string{"port=" + strconv.Itoa(e.address.port), "listen_addresses=", "unix_socket_directories=" + e.address.folder}
	if e.address.folder == "" {
		all[1] = "listen_addresses=127.0.0.1"
	}

	all = append(all, settings...)
	if e.options.Throwaway {
		all = append(all, throwawaySettings...)
	}

	arguments := make([]string, 0, 2+2*len(all))
	arguments = append(arguments, "-D", e.cluster)

	for _, setting := range all {
		arguments = append(arguments, "-c", setting)
	}

	return arguments
}

func (e *Embedded) logPath() string { return filepath.Join(e.options.DataDir, "postgres.log") }

// openLog keeps the log of one earlier run and no more, so that logs never fill a disk.
func (e *Embedded) openLog() (*os.File, error) {
	_ = os.Rename(e.logPath(), e.logPath()+".1") // The first run has none.

	file, err := os.OpenFile(e.logPath(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the database's log cannot be opened in DATA_DIR: %w", err)
	}

	return file, nil
}
