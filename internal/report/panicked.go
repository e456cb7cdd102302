package report

import (
	"fmt"
	"log/slog"
	"path"
	"runtime"
)

// mostFrames is how much of a stack is kept.
const mostFrames = 64

// Panicked is a recovered panic as an error. Its text names the type of the panic's value only.
type Panicked struct {
	value any
	stack []uintptr
}

// Recovered wraps what recover returned. It keeps the stack of the panic, so call it in the deferred function itself.
func Recovered(value any) *Panicked {
	return &Panicked{value: value, stack: stackOf(1)}
}

// Error tells the type of what was panicked with.
func (p *Panicked) Error() string { return fmt.Sprintf("panic with a value of type %T", p.value) }

// Unwrap returns the error that was panicked with, or nil.
func (p *Panicked) Unwrap() error {
	err, _ := p.value.(error)

	return err
}

// LogValue writes the type and the frames, so that a Panicked can be logged as it is.
func (p *Panicked) LogValue() slog.Value {
	return slog.GroupValue(slog.String("type", fmt.Sprintf("%T", p.value)), slog.Any("frames", written(p.stack)))
}

// stackOf returns the program counters of the caller, without the innermost skip functions.
func stackOf(skip int) []uintptr {
	counters := make([]uintptr, mostFrames)

	return counters[:runtime.Callers(skip+2, counters)]
}

// written is a stack as "function file:line", innermost first. It holds names of the code only, no arguments, and of
// a file only its name and folder, since the rest is the machine on which the program was built.
func written(stack []uintptr) []string {
	var lines []string

	walk(stack, func(f runtime.Frame) {
		lines = append(lines, fmt.Sprintf("%s %s:%d", f.Function, shortFile(f.File), f.Line))
	})

	return lines
}

func walk(stack []uintptr, visit func(runtime.Frame)) {
	frames := runtime.CallersFrames(stack)

	for more := len(stack) > 0; more; {
		var f runtime.Frame

		f, more = frames.Next()
		visit(f)
	}
}

func shortFile(file string) string {
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}
