package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// source is one Go file, parsed.
type source struct {
	pkg    string // the folder below the module, "main" for the root
	file   string
	lines  int
	syntax *ast.File
	at     *token.FileSet
}

func (s source) isTest() bool { return strings.HasSuffix(s.file, "_test.go") }

func (s source) imports() []string {
	var found []string

	for _, spec := range s.syntax.Imports {
		if name, ours := strings.CutPrefix(unquote(spec.Path), module); ours {
			found = append(found, name)
		}
	}

	return found
}

// readTree parses every Go file that is the project's own.
func readTree(tree fs.FS) ([]source, error) {
	var sources []source

	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		if entry.IsDir() {
			hidden := len(name) > 1 && strings.HasPrefix(path.Base(name), ".")
			if hidden || slices.Contains([]string{"node_modules", "testdata", "dist"}, path.Base(name)) {
				return fs.SkipDir
			}

			return nil
		}

		if path.Ext(name) != ".go" {
			return nil
		}

		read, err := readSource(tree, name)
		sources = append(sources, read)

		return err
	})

	return sources, err
}

func readSource(tree fs.FS, name string) (source, error) {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return source{}, fmt.Errorf("read %s: %w", name, err)
	}

	at := token.NewFileSet()

	syntax, err := parser.ParseFile(at, name, text, parser.SkipObjectResolution)
	if err != nil {
		return source{}, fmt.Errorf("parse: %w", err)
	}

	pkg := path.Dir(name)
	if pkg == "." {
		pkg = "main"
	}

	lines := strings.Count(strings.TrimSuffix(string(text), "\n"), "\n") + 1

	return source{pkg: pkg, file: name, lines: lines, syntax: syntax, at: at}, nil
}

// inspect returns one sentence for each fault of the tree.
func inspect(sources []source) []string {
	var faults []string

	for _, s := range sources {
		if s.lines > longestFile {
			faults = append(faults, fmt.Sprintf("%s has %d lines, %d are allowed: split it", s.file, s.lines, longestFile))
		}

		if !s.isTest() {
			faults = slices.Concat(faults, wrongArrows(s), wrongTables(s), openDatabases(s), wireShapes(s), longFunctions(s))
		}
	}

	return append(faults, longChain(sources)...)
}

// placeOf finds the row of the house that holds for a package: its own, else that of the folder above.
func placeOf(pkg string) (part, bool) {
	for name := pkg; name != "."; name = path.Dir(name) {
		row, found := house[name]
		if found && (name == pkg || name == "internal" || name == "bench") {
			return row, true
		}
	}

	return part{}, false
}

func wrongArrows(s source) []string {
	row, found := placeOf(s.pkg)
	if !found {
		return []string{s.file + ": " + s.pkg + " has no place in the table of architecture_test.go"}
	}

	var faults []string

	for _, target := range s.imports() {
		switch {
		case slices.Contains(forTests, target) && !strings.HasPrefix(s.pkg, "bench"):
			faults = append(faults, fmt.Sprintf("%s: %s is only for tests", s.file, target))
		case strings.HasPrefix(target, "internal/"):
		case !slices.Contains(row.imports, target) && !slices.Contains(row.imports, everything):
			faults = append(faults, fmt.Sprintf("%s: %s may not import %s", s.file, s.pkg, target))
		}
	}

	return faults
}

// openDatabases finds the surfaces that reach past the domains: they are HTTP in, HTTP out.
func openDatabases(s source) []string {
	if !slices.Contains(surfaces, s.pkg) {
		return nil
	}

	var faults []string

	for _, spec := range s.syntax.Imports {
		target := unquote(spec.Path)
		if slices.ContainsFunc(databases, func(prefix string) bool { return strings.HasPrefix(target, prefix) }) {
			faults = append(faults, fmt.Sprintf("%s: %s is a surface and may not import %s", s.file, s.pkg, target))
		}
	}

	return faults
}

// wireShapes finds the structs of domains that could be written as JSON as they are: a new column would leak.
func wireShapes(s source) []string {
	if !slices.Contains(domains, s.pkg) {
		return nil
	}

	var faults []string

	ast.Inspect(s.syntax, func(node ast.Node) bool {
		if field, is := node.(*ast.Field); is && field.Tag != nil && strings.Contains(unquote(field.Tag), `json:"`) {
			faults = append(faults, fmt.Sprintf("%s: %s has a json tag; the wire's shapes are those of api and web", s.file, s.pkg))
		}

		return true
	})

	return faults
}

func longFunctions(s source) []string {
	var faults []string

	for _, declaration := range s.syntax.Decls {
		function, is := declaration.(*ast.FuncDecl)
		if !is {
			continue
		}

		lines := s.at.Position(function.End()).Line - s.at.Position(function.Pos()).Line + 1
		if lines > longestFunc {
			faults = append(faults, fmt.Sprintf("%s: %s has %d lines, %d are allowed: split it",
				s.file, function.Name, lines, longestFunc))
		}
	}

	return faults
}

// longChain walks the imports of the program, tests excluded. Go refuses cycles, so the walk ends.
func longChain(sources []source) []string {
	arrows := map[string][]string{}

	for _, s := range sources {
		if !s.isTest() {
			arrows[s.pkg] = append(arrows[s.pkg], s.imports()...)
		}
	}

	var longest []string

	for _, pkg := range slices.Sorted(maps.Keys(arrows)) {
		if chain := chainFrom(pkg, arrows); len(chain) > len(longest) {
			longest = chain
		}
	}

	if len(longest)-1 <= longestChain {
		return nil
	}

	return []string{fmt.Sprintf("a chain is %d imports long: %s", len(longest)-1, strings.Join(longest, " → "))}
}

func chainFrom(pkg string, arrows map[string][]string) []string {
	var longest []string

	for _, target := range arrows[pkg] {
		if chain := chainFrom(target, arrows); len(chain) > len(longest) {
			longest = chain
		}
	}

	return append([]string{pkg}, longest...)
}
