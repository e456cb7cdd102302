package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"formonce/internal/config"
	"formonce/internal/fault"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// The exit statuses of every command.
const (
	statusDone   = 0
	statusFailed = 1
	statusMisuse = 2
)

// console is what a command has of the outside: data goes to out, sentences about trouble and logs go to err.
type console struct {
	in       io.Reader
	out, err io.Writer
	settings func() (*config.Config, error)
	// settleTime is how long a tenant's deletion waits for what is being accepted.
	settleTime time.Duration

	// working is set when a command begins its work: an error before that is about how it was called.
	working bool
}

// misuse is a wrong use that only the work itself can notice.
type misuse string

func (m misuse) Error() string { return string(m) }

// errShown is returned by a command that has said on its own what failed.
var errShown = errors.New("the command has said what failed")

// run does what the arguments ask for and returns the exit status.
func run(ctx context.Context, args []string, c *console) int {
	root := rootCommand(c)
	root.SetArgs(args)
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)

	// Who can run the program on the machine of its database is an operator of the installation.
	called, err := root.ExecuteContextC(tenants.WithActor(ctx, tenants.Actor{Kind: tenants.ActorOperator}))
	if err == nil {
		return statusDone
	}

	if wrong := misuse(""); !c.working || errors.As(err, &wrong) {
		_, _ = fmt.Fprintf(c.err, "formonce: %s; `%s --help` shows how it is used\n", oneLine(err.Error()), called.CommandPath())

		return statusMisuse
	}

	if !errors.Is(err, errShown) {
		explain(c.err, err)
	}

	return statusFailed
}

// explain says what failed in one sentence, and in one more line for each field that is at fault.
func explain(w io.Writer, err error) {
	var known *fault.Fault
	if !errors.As(err, &known) {
		_, _ = fmt.Fprintf(w, "formonce: %s\n", postgres.Describe(err))

		return
	}

	sentence := known.Message
	if cause := known.Unwrap(); cause != nil {
		sentence += " (" + oneLine(postgres.Describe(cause)) + ")"
	}

	_, _ = fmt.Fprintf(w, "formonce: %s\n", sentence)

	for _, issue := range known.Issues {
		if issue.Message != known.Message {
			_, _ = fmt.Fprintf(w, "  %s: %s\n", issue.Field, issue.Message)
		}
	}
}

// oneLine keeps the sentences of several lines apart, and says what is repeated once.
func oneLine(text string) string {
	var joined strings.Builder

	last := ""

	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" || line == last {
			continue
		}

		switch {
		case last == "":
		case strings.HasSuffix(last, ":"):
			joined.WriteString(" ")
		default:
			joined.WriteString("; ")
		}

		joined.WriteString(line)

		last = line
	}

	return joined.String()
}

// logger keeps quiet about what goes well: the commands beside serve are read by people and by scripts.
func (c *console) logger(settings *config.Config) *slog.Logger {
	return slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: max(settings.LogLevel, slog.LevelWarn)}))
}

// printJSON writes a value for programs. What a visitor typed stays readable: nothing here ends up in HTML.
func (c *console) printJSON(value any) error {
	encoder := json.NewEncoder(c.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")

	return encoder.Encode(value)
}

func (c *console) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(c.out, format, args...)

	return err
}

// printTable writes rows under a heading, in columns. Every cell is made harmless.
func (c *console) printTable(heading []string, rows [][]string) error {
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)

	for _, row := range append([][]string{heading}, rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = harmless(cell)
		}

		if _, err := fmt.Fprintln(table, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}

	return table.Flush()
}

// harmless takes out of a text whatever could steer a terminal: a visitor may have sent escape sequences, or characters
// that turn the direction of writing around. Line breaks become blanks.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		default:
			return r
		}
	}, text)
}

// minutes writes a time for people.
func minutes(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// work is what a command does once its arguments and flags are known to be right.
type work func(cmd *cobra.Command, args []string) error

// leaf makes a command that does something. The names in use that are written in capitals are its arguments.
func (c *console) leaf(use, short, example string, do work) *cobra.Command {
	want := len(strings.Fields(use)) - 1

	return &cobra.Command{
		Use: use, Short: short, Example: "  " + strings.ReplaceAll(example, "\n", "\n  "),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != want {
				return fmt.Errorf("write it as `%s`", cmd.UseLine())
			}

			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c.working = true

			return do(cmd, args)
		},
	}
}

// group makes a command that only has others below it.
func group(use, short, example string, below ...*cobra.Command) *cobra.Command {
	made := &cobra.Command{
		Use: use, Short: short, Example: "  " + strings.ReplaceAll(example, "\n", "\n  "),
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}

			unknown := fmt.Sprintf("%q is not a command of %s", harmless(args[0]), cmd.CommandPath())
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				unknown += ", did you mean " + strings.Join(near, " or ") + "?"
			}

			return errors.New(unknown)
		},
		// Without it only the root would look for similar names.
		SuggestionsMinimumDistance: 2,
	}
	made.AddCommand(below...)

	return made
}
