package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"formonce/internal/pgtest"
)

// patience bounds every wait for the program; nothing takes nearly as long.
const patience = time.Minute

// build makes the program once for all tests of this process, into a folder that TestMain removes.
var (
	programFolder string
	build         = sync.OnceValues(buildProgram)
)

func TestMain(m *testing.M) {
	status := m.Run()

	_ = os.RemoveAll(programFolder)

	os.Exit(status)
}

func buildProgram() (string, error) {
	folder, err := os.MkdirTemp("", "formonce-program-")
	if err != nil {
		return "", err
	}

	programFolder = folder
	program := filepath.Join(folder, "formonce")

	if printed, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("the program cannot be built: %w\n%s", err, printed)
	}

	return program, nil
}

// service is an installation of the program in a folder of its own, started and killed as an operator would.
type service struct {
	*testing.T

	program, folder string
	environment     []string
	out, err        *printed

	// base is where the running process listens. Clients of a load read it while the test restarts the process.
	base    atomic.Value
	process *exec.Cmd
	ended   chan struct{}
}

// install prepares a service with these settings beside those of every test: no limits of rate, a free port.
func install(t *testing.T, settings map[string]string) *service {
	t.Helper()

	program, err := build()
	if err != nil {
		t.Fatal(err)
	}

	s := &service{T: t, program: program, folder: pgtest.Folder(t), out: &printed{}, err: &printed{}}
	all := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": s.folder, "PG_BIN_DIR": os.Getenv("PG_BIN_DIR"),
		"DATA_DIR": filepath.Join(s.folder, "data"), "LISTEN_ADDR": "127.0.0.1:0",
		"RATE_LIMIT_CLIENT": "off", "RATE_LIMIT_ENDPOINT": "off",
	}
	maps.Copy(all, settings)

	for name, value := range all {
		s.environment = append(s.environment, name+"="+value)
	}

	t.Cleanup(s.kill)

	return s
}

// external are the settings of a service on a database that others run.
func external(databaseURL string) map[string]string {
	return map[string]string{"DATABASE_URL": databaseURL, "SECRET_KEY": "a secret of these tests, long enough"}
}

func (s *service) command(args ...string) *exec.Cmd {
	made := exec.Command(s.program, args...)
	made.Dir, made.Env = s.folder, s.environment

	return made
}

// start serves, and returns when the process takes requests.
func (s *service) start(args ...string) {
	s.Helper()

	s.process = s.command(append([]string{"serve"}, args...)...)
	s.process.Stdout, s.process.Stderr = s.out, s.err
	s.ended = make(chan struct{})

	serving := s.err.watch(regexp.MustCompile(`"msg":"serving","address":"([^"]*)"`))

	if err := s.process.Start(); err != nil {
		s.Fatal(err)
	}

	go func(process *exec.Cmd, ended chan struct{}) {
		_ = process.Wait()

		close(ended)
	}(s.process, s.ended)

	select {
	case address := <-serving:
		s.base.Store("http://" + address)
	case <-s.ended:
		s.Fatalf("serve ended with status %d:\n%s", s.process.ProcessState.ExitCode(), s.err)
	case <-time.After(patience):
		s.Fatalf("serve takes no requests:\n%s", s.err)
	}
}

// kill is kill -9 of the service; its own PostgreSQL goes with it.
func (s *service) kill() {
	if s.process != nil {
		_ = s.process.Process.Kill()
		<-s.ended
	}
}

// terminate asks for an orderly end and returns the exit status.
func (s *service) terminate() int {
	s.Helper()

	began := time.Now()

	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}

	return s.wait(began)
}

func (s *service) wait(began time.Time) int {
	s.Helper()

	select {
	case <-s.ended:
	case <-time.After(patience):
		s.Fatal("the service does not end")
	}

	if took := time.Since(began); took > 10*time.Second {
		s.Errorf("the service took %v to end", took)
	}

	return s.process.ProcessState.ExitCode()
}

// run is a command of the program beside serve; it returns the exit status and what was printed.
func (s *service) run(args ...string) (status int, out, trouble string) {
	s.Helper()

	var stdout, stderr bytes.Buffer

	command := s.command(args...)
	command.Stdout, command.Stderr = &stdout, &stderr

	_ = command.Run() // The status says it.

	return command.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// must is run for a command that has to succeed and prints a JSON object.
func (s *service) must(args ...string) map[string]any {
	s.Helper()

	status, out, trouble := s.run(args...)

	var read map[string]any
	if err := json.Unmarshal([]byte(out), &read); status != 0 || err != nil {
		s.Fatalf("%s: status %d, %s%s", strings.Join(args, " "), status, out, trouble)
	}

	return read
}

// furnish makes a tenant with the endpoint contact-form, and returns the tenant's id.
func (s *service) furnish() string {
	s.Helper()

	tenant, _ := s.must("tenant", "create", "--name", "Acme", "--email", "ada@acme.example", "--password", "correct horse")["tenant_id"].(string)
	s.must("endpoint", "create", "--tenant", tenant, "--id", "contact-form")

	return tenant
}

// reply is what a request was answered with; a status of 0 stands for no answer.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) object() map[string]any {
	var read map[string]any

	_ = json.Unmarshal([]byte(r.body), &read) // A page reads as no object.

	return read
}

func (r reply) code() string {
	failed, _ := r.object()["error"].(map[string]any)
	code, _ := failed["code"].(string)

	return code
}

// send asks the service for a path below its address. Headers come in pairs.
func (s *service) send(method, path, body string, headers ...string) (reply, error) {
	base, _ := s.base.Load().(string)

	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}

	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}

	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return reply{}, err
	}

	defer func() { _ = response.Body.Close() }()

	read, err := io.ReadAll(response.Body)

	return reply{response.StatusCode, response.Header, string(read)}, err
}

const contentType, keyHeader, formType, jsonType = "Content-Type", "Idempotency-Key", "application/x-www-form-urlencoded", "application/json"

// want sends a request and fails the test unless it is answered with the status.
func (s *service) want(status int, method, path, body string, headers ...string) reply {
	s.Helper()

	got, err := s.send(method, path, body, headers...)
	if err != nil {
		s.Fatal(err)
	}

	if got.status != status {
		s.Fatalf("%s %s: got %d, want %d\n%s", method, path, got.status, status, got.body)
	}

	return got
}

// post submits a form to contact-form.
func (s *service) post(status int, body, key string) reply {
	s.Helper()

	return s.want(status, http.MethodPost, "/f/contact-form", body, contentType, formType, keyHeader, key)
}

// postmaster is the process id of the service's own PostgreSQL; 0 when there is none.
func (s *service) postmaster() int {
	s.Helper()

	content, err := os.ReadFile(filepath.Join(s.folder, "data", "postgres", "postmaster.pid"))
	if err != nil {
		return 0
	}

	first, _, _ := strings.Cut(string(content), "\n")

	pid, err := strconv.Atoi(first)
	if err != nil {
		s.Fatalf("postmaster.pid begins with %q", first)
	}

	return pid
}

// eventually asks until the answer is yes.
func (s *service) eventually(what string, ask func() bool) {
	s.Helper()

	for deadline := time.Now().Add(patience); !ask(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// printed collects what a process prints, and tells who waits for a line.
type printed struct {
	mu      sync.Mutex
	text    bytes.Buffer
	pattern *regexp.Regexp
	found   chan string
	from    int
}

// watch returns where the first group of the pattern arrives when it is printed from now on.
func (p *printed) watch(pattern *regexp.Regexp) <-chan string {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.pattern, p.found, p.from = pattern, make(chan string, 1), p.text.Len()

	return p.found
}

func (p *printed) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.text.Write(line)

	if p.pattern != nil {
		if match := p.pattern.FindSubmatch(p.text.Bytes()[p.from:]); match != nil {
			p.found <- string(match[1])
			p.pattern = nil
		}
	}

	return len(line), nil
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.text.String()
}
