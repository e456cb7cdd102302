package main_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// owners maps each table to the package that owns it.
func owners() map[string]string {
	found := map[string]string{}

	for pkg, row := range house {
		for _, table := range row.tables {
			found[table] = pkg
		}
	}

	return found
}

func wrongTables(s source) []string {
	var faults []string

	for _, table := range tablesNamed(s.syntax) {
		owner, known := owners()[table]
		if known && owner != s.pkg && !strings.HasPrefix(s.pkg, "bench") {
			faults = append(faults, fmt.Sprintf("%s: %s names the table %s, which %s owns", s.file, s.pkg, table, owner))
		}
	}

	return faults
}

var (
	// looksLikeSQL keeps sentences for people apart from statements and their fragments.
	looksLikeSQL = regexp.MustCompile(`(?i)^(\s|--[^\n]*\n|\()*(select|insert|update|delete|with|create|alter|drop|` +
		`truncate|lock|copy|merge|from|(left |right |inner |cross |full )?join|where|and|set|using|exists|not)\b`)
	tableInSQL = regexp.MustCompile(`(?i)\b(?:from|into|update|join|table|truncate|using)\s+(?:only\s+)?` +
		`(?:(?:if|not|exists)\s+)*((?:(?:"?public"?\.)?"?\w+"?(?:\s+(?:as\s+)?\w+)?\s*,\s*)*(?:"?public"?\.)?"?\w+"?)`)
	firstWord = regexp.MustCompile(`^(?:\s*"?public"?\.)?\W*(\w+)`)
)

// tablesNamed lists, once each, the words that stand where a table stands: in SQL, in gorm's Table and TableName, and in
// pgx.Identifier.
func tablesNamed(file *ast.File) []string {
	named := map[string]bool{}

	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.BinaryExpr:
			nameSQL(named, glued(n))
		case *ast.BasicLit:
			nameSQL(named, unquote(n))
		case *ast.CallExpr:
			if method, is := n.Fun.(*ast.SelectorExpr); is && method.Sel.Name == "Table" && len(n.Args) > 0 {
				nameFirst(named, glued(n.Args[0]))
			}
		case *ast.CompositeLit:
			if kind, is := n.Type.(*ast.SelectorExpr); is && kind.Sel.Name == "Identifier" {
				nameEach(named, n.Elts)
			}
		case *ast.FuncDecl:
			if n.Name.Name == "TableName" && n.Body != nil {
				ast.Inspect(n.Body, func(inner ast.Node) bool {
					if literal, is := inner.(*ast.BasicLit); is {
						nameFirst(named, unquote(literal))
					}

					return true
				})
			}
		}

		return true
	})

	return slices.Sorted(maps.Keys(named))
}

func nameSQL(named map[string]bool, text string) {
	if !looksLikeSQL.MatchString(text) {
		return
	}

	for _, match := range tableInSQL.FindAllStringSubmatch(text, -1) {
		for listed := range strings.SplitSeq(match[1], ",") {
			nameFirst(named, listed)
		}
	}
}

func nameFirst(named map[string]bool, text string) {
	if match := firstWord.FindStringSubmatch(text); match != nil {
		named[strings.ToLower(match[1])] = true
	}
}

func nameEach(named map[string]bool, elements []ast.Expr) {
	for _, element := range elements {
		nameFirst(named, glued(element))
	}
}

// glued is the text of a literal, or of a sum of literals; whatever else stands in the sum counts as a blank.
func glued(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		return unquote(e)
	case *ast.BinaryExpr:
		return glued(e.X) + glued(e.Y)
	default:
		return " "
	}
}

func unquote(literal *ast.BasicLit) string {
	text, err := strconv.Unquote(literal.Value)
	if err != nil || literal.Kind != token.STRING {
		return ""
	}

	return text
}
