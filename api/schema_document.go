package api

import (
	"cmp"

	"formonce/forms"
)

// SchemaDocument is a schema as programs and files write it.
type SchemaDocument struct {
	Fields        []SchemaField       `json:"fields"         yaml:"fields"`
	UnknownFields forms.UnknownFields `json:"unknown_fields" yaml:"unknown_fields,omitempty"`
	DefaultRegion string              `json:"default_region" yaml:"default_region,omitempty"`
}

// SchemaField is one field of a SchemaDocument. What is left out says nothing.
type SchemaField struct {
	Key            string           `json:"key"                      yaml:"key"`
	Type           forms.FieldType  `json:"type"                     yaml:"type"`
	Label          string           `json:"label"                    yaml:"label,omitempty"`
	Help           string           `json:"help,omitzero"            yaml:"help,omitempty"`
	Required       bool             `json:"required"                 yaml:"required,omitempty"`
	RequiredWhen   *SchemaCondition `json:"required_when,omitzero"   yaml:"required_when,omitempty"`
	Shown          *SchemaCondition `json:"shown,omitzero"           yaml:"shown,omitempty"`
	MinLength      int              `json:"min_length,omitzero"      yaml:"min_length,omitempty"`
	MaxLength      int              `json:"max_length,omitzero"      yaml:"max_length,omitempty"`
	Min            SchemaText       `json:"min,omitzero"             yaml:"min,omitempty"`
	Max            SchemaText       `json:"max,omitzero"             yaml:"max,omitempty"`
	Step           SchemaText       `json:"step,omitzero"            yaml:"step,omitempty"`
	Pattern        string           `json:"pattern,omitzero"         yaml:"pattern,omitempty"`
	PatternMessage string           `json:"pattern_message,omitzero" yaml:"pattern_message,omitempty"`
	Options        []SchemaOption   `json:"options,omitempty"        yaml:"options,omitempty"`
	MinChoices     int              `json:"min_choices,omitzero"     yaml:"min_choices,omitempty"`
	MaxChoices     int              `json:"max_choices,omitzero"     yaml:"max_choices,omitempty"`
	Default        SchemaTexts      `json:"default,omitempty"        yaml:"default,omitempty"`
	ConsentText    string           `json:"consent_text,omitzero"    yaml:"consent_text,omitempty"`
	ConsentVersion string           `json:"consent_version,omitzero" yaml:"consent_version,omitempty"`
	RatingMax      int              `json:"rating_max,omitzero"      yaml:"rating_max,omitempty"`
	MaxFileBytes   int64            `json:"max_file_bytes,omitzero"  yaml:"max_file_bytes,omitempty"`
	MaxFiles       int              `json:"max_files,omitzero"       yaml:"max_files,omitempty"`
	FileTypes      []string         `json:"file_types,omitempty"     yaml:"file_types,omitempty"`
}

// SchemaOption is one choice. An option whose label is its value may be written as that text alone.
type SchemaOption struct {
	Value string `json:"value"          yaml:"value"`
	Label string `json:"label,omitzero" yaml:"label,omitempty"`
}

// SchemaCondition compares another field, or joins conditions.
type SchemaCondition struct {
	Field  string            `json:"field,omitzero"   yaml:"field,omitempty"`
	Is     forms.Comparison  `json:"is,omitzero"      yaml:"is,omitempty"`
	Values SchemaTexts       `json:"values,omitempty" yaml:"values,omitempty"`
	All    []SchemaCondition `json:"all,omitempty"    yaml:"all,omitempty"`
	Any    []SchemaCondition `json:"any,omitempty"    yaml:"any,omitempty"`
}

// Schema returns what the document says, unchecked.
func (d *SchemaDocument) Schema() *forms.Schema {
	made := &forms.Schema{
		Unknown: cmp.Or(d.UnknownFields, forms.UnknownKeep), Region: d.DefaultRegion,
		Fields: make([]forms.SchemaField, len(d.Fields)),
	}

	for i := range d.Fields {
		made.Fields[i] = d.Fields[i].field()
	}

	return made
}

func (f *SchemaField) field() forms.SchemaField {
	return forms.SchemaField{
		Key: f.Key, Type: f.Type, Label: f.Label, Help: f.Help, Required: f.Required,
		RequiredWhen: f.RequiredWhen.condition(), Shown: f.Shown.condition(),
		MinLength: f.MinLength, MaxLength: f.MaxLength, Min: string(f.Min), Max: string(f.Max), Step: string(f.Step),
		Pattern: f.Pattern, PatternMessage: f.PatternMessage,
		Options:    each(f.Options, func(o SchemaOption) forms.Option { return forms.Option(o) }),
		MinChoices: f.MinChoices, MaxChoices: f.MaxChoices, Default: f.Default,
		ConsentText: f.ConsentText, ConsentVersion: f.ConsentVersion, RatingMax: f.RatingMax,
		MaxFileBytes: f.MaxFileBytes, MaxFiles: f.MaxFiles, FileTypes: f.FileTypes,
	}
}

func (c *SchemaCondition) condition() *forms.Condition {
	if c == nil {
		return nil
	}

	return &forms.Condition{
		Field: c.Field, Is: c.Is, Values: c.Values,
		All: each(c.All, func(part SchemaCondition) forms.Condition { return *part.condition() }),
		Any: each(c.Any, func(part SchemaCondition) forms.Condition { return *part.condition() }),
	}
}

// DocumentOf writes a schema down, so that the document says the same schema again.
func DocumentOf(s *forms.Schema) SchemaDocument {
	made := SchemaDocument{
		UnknownFields: cmp.Or(s.Unknown, forms.UnknownKeep), DefaultRegion: s.Region, Fields: make([]SchemaField, len(s.Fields)),
	}

	for i := range s.Fields {
		made.Fields[i] = fieldOf(&s.Fields[i])
	}

	return made
}

func fieldOf(f *forms.SchemaField) SchemaField {
	return SchemaField{
		Key: f.Key, Type: f.Type, Label: f.Label, Help: f.Help, Required: f.Required,
		RequiredWhen: conditionOf(f.RequiredWhen), Shown: conditionOf(f.Shown),
		MinLength: f.MinLength, MaxLength: f.MaxLength, Min: SchemaText(f.Min), Max: SchemaText(f.Max), Step: SchemaText(f.Step),
		Pattern: f.Pattern, PatternMessage: f.PatternMessage,
		Options:    each(f.Options, func(o forms.Option) SchemaOption { return SchemaOption(o) }),
		MinChoices: f.MinChoices, MaxChoices: f.MaxChoices, Default: f.Default,
		ConsentText: f.ConsentText, ConsentVersion: f.ConsentVersion, RatingMax: f.RatingMax,
		MaxFileBytes: f.MaxFileBytes, MaxFiles: f.MaxFiles, FileTypes: f.FileTypes,
	}
}

func conditionOf(c *forms.Condition) *SchemaCondition {
	if c == nil {
		return nil
	}

	return &SchemaCondition{
		Field: c.Field, Is: c.Is, Values: c.Values,
		All: each(c.All, func(part forms.Condition) SchemaCondition { return *conditionOf(&part) }),
		Any: each(c.Any, func(part forms.Condition) SchemaCondition { return *conditionOf(&part) }),
	}
}

// each keeps an empty list nil.
func each[A, B any](from []A, convert func(A) B) []B {
	if len(from) == 0 {
		return nil
	}

	made := make([]B, len(from))
	for i, one := range from {
		made[i] = convert(one)
	}

	return made
}
