package forms

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// fieldMembers are the settings of a field by their wire names, how they are read, and what a difference means.
var fieldMembers = []struct {
	name    string
	read    func(*SchemaField) []string
	compare func(then, now []string) []ChangeKind
}{
	{"label", text(func(f *SchemaField) string { return f.Label }), always(ChangeRelabelled)},
	{"help", text(func(f *SchemaField) string { return f.Help }), always(ChangeRelabelled)},
	{"required", flag(func(f *SchemaField) bool { return f.Required }), present},
	{"min_length", count(func(f *SchemaField) int { return f.MinLength }), lowest},
	{"max_length", count(func(f *SchemaField) int { return f.MaxLength }), highest},
	{"min", text(func(f *SchemaField) string { return f.Min }), lowest},
	{"max", text(func(f *SchemaField) string { return f.Max }), highest},
	{"step", text(func(f *SchemaField) string { return f.Step }), present},
	{"pattern", text(func(f *SchemaField) string { return f.Pattern }), present},
	{"pattern_message", text(func(f *SchemaField) string { return f.PatternMessage }), always(ChangeRelabelled)},
	{"options", optionValues, listed},
	{"options", optionLabels, reworded},
	{"min_choices", count(func(f *SchemaField) int { return f.MinChoices }), lowest},
	{"max_choices", count(func(f *SchemaField) int { return f.MaxChoices }), highest},
	{"default", func(f *SchemaField) []string { return f.Default }, always(ChangeRelabelled)},
	{"consent_text", text(func(f *SchemaField) string { return f.ConsentText }), always(ChangeOther)},
	{"consent_version", text(func(f *SchemaField) string { return f.ConsentVersion }), always(ChangeOther)},
	{"rating_max", count(func(f *SchemaField) int { return cmp.Or(f.RatingMax, DefaultRatingMax) }), highest},
	{"max_file_bytes", count(func(f *SchemaField) int { return int(f.MaxFileBytes) }), highest},
	{"max_files", count(func(f *SchemaField) int { return f.MaxFiles }), highest},
	{"file_types", func(f *SchemaField) []string { return f.FileTypes }, listed},
	{"shown", onlyWhen(func(f *SchemaField) *Condition { return f.Shown }), always(ChangeOther)},
	{"required_when", onlyWhen(func(f *SchemaField) *Condition { return f.RequiredWhen }), present},
}

func text(of func(*SchemaField) string) func(*SchemaField) []string {
	return func(field *SchemaField) []string {
		if value := of(field); value != "" {
			return []string{value}
		}

		return nil
	}
}

func flag(of func(*SchemaField) bool) func(*SchemaField) []string {
	return func(field *SchemaField) []string {
		if of(field) {
			return []string{"true"}
		}

		return nil
	}
}

func count(of func(*SchemaField) int) func(*SchemaField) []string {
	return func(field *SchemaField) []string {
		if n := of(field); n != 0 {
			return []string{strconv.Itoa(n)}
		}

		return nil
	}
}

func onlyWhen(of func(*SchemaField) *Condition) func(*SchemaField) []string {
	return func(field *SchemaField) []string {
		if of(field) == nil {
			return nil
		}

		spelled, _ := json.Marshal(exportCondition(of(field))) // names and texts, which can always be written

		return []string{string(spelled)}
	}
}

func optionValues(field *SchemaField) []string {
	values := make([]string, len(field.Options))
	for i, option := range field.Options {
		values[i] = option.Value
	}

	slices.Sort(values)

	return values
}

// optionLabels holds the order too, which is what people see.
func optionLabels(field *SchemaField) []string {
	labels := make([]string, 0, 2*len(field.Options))
	for _, option := range field.Options {
		labels = append(labels, option.Value, option.Label)
	}

	return labels
}

func always(kind ChangeKind) func(then, now []string) []ChangeKind {
	return func([]string, []string) []ChangeKind { return []ChangeKind{kind} }
}

// present is for rules of which there is one or none.
func present(then, now []string) []ChangeKind {
	switch {
	case len(then) == 0:
		return []ChangeKind{ChangeStricter}
	case len(now) == 0:
		return []ChangeKind{ChangeLooser}
	}

	return []ChangeKind{ChangeOther}
}

// lowest is for bounds from below: the higher the stricter.
func lowest(then, now []string) []ChangeKind {
	if kinds := present(then, now); kinds[0] != ChangeOther {
		return kinds
	}

	return ofOrder(compareBounds(then[0], now[0]))
}

// highest is for bounds from above: the lower the stricter.
func highest(then, now []string) []ChangeKind {
	if kinds := present(then, now); kinds[0] != ChangeOther {
		return kinds
	}

	return ofOrder(compareBounds(now[0], then[0]))
}

// ofOrder is stricter for what grew; another spelling of the same number is nothing that anybody notices.
func ofOrder(order int) []ChangeKind {
	switch {
	case order < 0:
		return []ChangeKind{ChangeStricter}
	case order > 0:
		return []ChangeKind{ChangeLooser}
	}

	return []ChangeKind{ChangeRelabelled}
}

func compareBounds(a, b string) int {
	if one, other := rational(a), rational(b); one != nil && other != nil {
		return one.Cmp(other)
	}

	return strings.Compare(withSeconds(a), withSeconds(b))
}

// listed is for lists of what is taken, of which an empty one takes everything.
func listed(then, now []string) []ChangeKind {
	var kinds []ChangeKind

	lacks := func(in []string) func(string) bool {
		return func(one string) bool { return len(in) > 0 && !slices.Contains(in, one) }
	}

	if len(then) == 0 || slices.ContainsFunc(then, lacks(now)) {
		kinds = append(kinds, ChangeStricter)
	}

	if len(now) == 0 || len(then) > 0 && slices.ContainsFunc(now, lacks(then)) {
		kinds = append(kinds, ChangeLooser)
	}

	return kinds
}

// reworded is for options of which only the labels or the order are different.
func reworded(then, now []string) []ChangeKind {
	if slices.Equal(everyOther(then), everyOther(now)) {
		return []ChangeKind{ChangeRelabelled}
	}

	return nil
}

func everyOther(pairs []string) []string {
	values := make([]string, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		values = append(values, pairs[i])
	}

	slices.Sort(values)

	return values
}
