package postgres

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// oldestMajor is the oldest PostgreSQL that the embedded server is run with.
const oldestMajor = 15

// usualPlaces are where the packages of the platforms put the programs.
var usualPlaces = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/usr/local/pgsql/bin",
	`C:\Program Files\PostgreSQL\*\bin`,
}

// installers are tried in this order; the first that the machine has names the command of the advice.
var installers = [][2]string{
	{"apt-get", "sudo apt-get install postgresql"},
	{"dnf", "sudo dnf install postgresql-server"},
	{"apk", "sudo apk add postgresql"},
	{"pacman", "sudo pacman -S postgresql"},
	{"brew", "brew install postgresql@18"},
	{"winget", "winget install PostgreSQL.PostgreSQL.18"},
}

// programs are the initdb and postgres of one installation.
type programs struct {
	folder string
	major  int
}

func (p programs) path(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}

	return filepath.Join(p.folder, name)
}

// findPrograms returns the newest of the first place that has any, or those of the cluster's own major version where one
// is given. A data folder of one version cannot be opened by the programs of another, so that those which opened it before
// are the last resort. A BinDir without programs is a mistake, which they must not hide.
func findPrograms(ctx context.Context, options EmbeddedOptions, clusterMajor int) (programs, error) {
	found := installed(ctx, options)
	if options.BinDir == "" || len(found) > 0 {
		found = append(found, remembered(ctx, options.DataDir)...)
	}

	for _, candidate := range found {
		if clusterMajor == 0 || candidate.major == clusterMajor {
			return candidate, nil
		}
	}

	switch {
	case len(found) > 0:
		return programs{}, fmt.Errorf("the database in DATA_DIR %s was made by PostgreSQL %d, and the programs in %s are of %d: "+
			"set PG_BIN_DIR to the programs of PostgreSQL %[2]d, or dump it with those and restore it into a new DATA_DIR, "+
			"or set another DATA_DIR to begin anew", options.DataDir, clusterMajor, found[0].folder, found[0].major)
	case options.BinDir != "":
		return programs{}, fmt.Errorf("PG_BIN_DIR %s has no initdb and postgres of version %d or newer that run: "+
			"correct it, or unset it to have this machine searched", options.BinDir, oldestMajor)
	default:
		return programs{}, fmt.Errorf("PostgreSQL %d or newer is not found on this machine: install it (%s), or name its folder "+
			"in PG_BIN_DIR, or set DATABASE_URL to a server that runs, or start everything in containers with "+
			"`docker compose up`", oldestMajor, installCommand())
	}
}

func installed(ctx context.Context, options EmbeddedOptions) []programs {
	if options.BinDir != "" {
		return newestFirst(ctx, []string{options.BinDir})
	}

	if options.SearchIn != nil {
		return inPlaces(ctx, options.SearchIn)
	}

	var found []programs

	if path, err := exec.LookPath("postgres"); err == nil {
		found = newestFirst(ctx, []string{filepath.Dir(path)})
	}

	return append(found, inPlaces(ctx, usualPlaces)...)
}

func rememberedPath(dataDir string) string { return filepath.Join(dataDir, "postgres.programs") }

// remembered are the programs that ran the cluster last. They may lie where nobody looks: the service may have been started
// with a PG_BIN_DIR that a command beside it does not have.
func remembered(ctx context.Context, dataDir string) []programs {
	folder, err := os.ReadFile(rememberedPath(dataDir))
	if err != nil {
		return nil
	}

	return newestFirst(ctx, []string{strings.TrimSpace(string(folder))})
}

// remember notes in DATA_DIR which programs run the cluster. A server that runs is worth more than the note.
func (e *Embedded) remember(ctx context.Context) {
	path, folder := rememberedPath(e.options.DataDir), e.programs.folder+"\n"

	if noted, err := os.ReadFile(path); err == nil && string(noted) == folder {
		return
	}

	if err := os.WriteFile(path, []byte(folder), 0o600); err != nil {
		e.options.Log.WarnContext(ctx, "DATA_DIR cannot hold the note about its database's programs", "file", path)
	}
}

func inPlaces(ctx context.Context, patterns []string) []programs {
	var found []programs

	for _, pattern := range patterns {
		folders, err := filepath.Glob(pattern)
		if err == nil {
			found = append(found, newestFirst(ctx, folders)...)
		}
	}

	return found
}

var versionText = regexp.MustCompile(`PostgreSQL\) (\d+)`)

// newestFirst leaves out the folders without both programs, with programs of another machine, or with too old ones.
func newestFirst(ctx context.Context, folders []string) []programs {
	var found []programs

	for _, folder := range folders {
		candidate := programs{folder: folder}

		if _, err := exec.LookPath(candidate.path("initdb")); err != nil {
			continue
		}

		//nolint:gosec // The program is looked for on purpose; the folder is the operator's.
		text, err := exec.CommandContext(ctx, candidate.path("postgres"), "--version").Output()
		if err != nil {
			continue
		}

		if match := versionText.FindSubmatch(text); match != nil {
			candidate.major, _ = strconv.Atoi(string(match[1]))
		}

		if candidate.major >= oldestMajor {
			found = append(found, candidate)
		}
	}

	slices.SortStableFunc(found, func(a, b programs) int { return cmp.Compare(b.major, a.major) })

	return found
}

func installCommand() string {
	for _, installer := range installers {
		if _, err := exec.LookPath(installer[0]); err == nil {
			return installer[1]
		}
	}

	return "https://www.postgresql.org/download/"
}
