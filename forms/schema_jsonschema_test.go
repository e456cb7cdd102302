package forms_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"formonce/forms"
)

func TestASchemaComesBackFromJSONSchemaAsItWas(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		schema := anySchema().Draw(t, "schema")

		document, err := schema.JSONSchema()
		if err != nil {
			t.Fatal(err)
		}

		again, notes, err := forms.SchemaFromJSONSchema(document)
		if err != nil || len(notes) > 0 {
			t.Fatalf("%s: %v %q", document, err, notes)
		}

		if !reflect.DeepEqual(again.Fields, schema.Fields) || again.Unknown != schema.Unknown || again.Region != schema.Region {
			t.Fatalf("%s\nbecame %+v\nfrom   %+v", document, again.Fields, schema.Fields)
		}
	})
}

// asJSONBody is how a script would send what was accepted, without what counts as not given.
func asJSONBody(t *rapid.T, schema *forms.Schema, fields forms.Fields) any {
	types := map[string]forms.FieldType{}
	for _, field := range schema.Fields {
		types[field.Key] = field.Type
	}

	body := map[string]any{}

	for _, field := range fields {
		of := types[field.Name]
		raw := string(field.Value.AppendJSON(nil))

		switch {
		case raw == `""`:
			continue
		case of == forms.TypeNumber || of == forms.TypeInteger || of == forms.TypeRating:
			raw = plainNumber(field.Value.String())
		case of == forms.TypeConsent:
			raw = strconv.FormatBool(raw != "false")
		case of == forms.TypeMultiselect:
			asList(t, body, field)
			continue
		}

		body[field.Name] = decoded(t, raw)
	}

	return body
}

// plainNumber is a number as JSON spells it.
func plainNumber(text string) string {
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}

	text = strings.TrimLeft(text, "0")
	if text == "" || text[0] < '1' || text[0] > '9' {
		text = "0" + text
	}

	return sign + text
}

func asList(t *rapid.T, body map[string]any, field forms.Field) {
	list, _ := body[field.Name].([]any)

	if elements, ok := decoded(t, string(field.Value.AppendJSON(nil))).([]any); ok {
		list = append(list, elements...)
	} else {
		list = append(list, field.Value.String())
	}

	list = slices.DeleteFunc(list, func(element any) bool { return element == "" || element == nil })
	if len(list) > 0 {
		body[field.Name] = list
	}
}

func decoded(t *rapid.T, raw string) any {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}

	return value
}

func TestWhatValidateTakesTheJSONSchemaTakesToo(t *testing.T) {
	t.Parallel()

	taken := 0

	rapid.Check(t, func(t *rapid.T) {
		schema := anySchema().Draw(t, "schema")
		normal := schema.Normalize(fieldsFor(schema).Draw(t, "sent"))

		if schema.Validate(normal, "en") != nil {
			return
		}

		taken++

		document, err := schema.JSONSchema()
		if err != nil {
			t.Fatal(err)
		}

		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
		if err != nil {
			t.Fatal(err)
		}

		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("https://schema.example/", parsed); err != nil {
			t.Fatal(err)
		}

		compiled, err := compiler.Compile("https://schema.example/")
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}

		if err := compiled.Validate(asJSONBody(t, schema, normal)); err != nil {
			t.Fatalf("%s\nwas taken, but not by %s\n%v", forms.EncodeFields(normal), document, err)
		}
	})

	if taken == 0 {
		t.Error("nothing was taken")
	}
}

func TestTheDocumentIsOneThatOthersRead(t *testing.T) {
	t.Parallel()

	schema := ready(t,
		forms.SchemaField{Key: "email", Type: forms.TypeEmail, Label: "E-mail", Required: true, MaxLength: 100},
		forms.SchemaField{Key: "plan", Type: forms.TypeSelect, Options: []forms.Option{{Value: "s", Label: "Small"}, {Value: "l"}}, Default: []string{"s"}},
		forms.SchemaField{Key: "seats", Type: forms.TypeInteger, Min: "1", Max: "500", Default: []string{"5"}},
		forms.SchemaField{Key: "terms", Type: forms.TypeConsent, ConsentText: "I agree.", Required: true},
	)
	schema.Unknown = forms.UnknownRefuse

	document, err := schema.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}

	const want = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
		`"email":{"type":"string","format":"email","title":"E-mail","maxLength":100,"x-formonce":{"type":"email"}},` +
		`"plan":{"type":"string","default":"s","oneOf":[{"const":"s","title":"Small"},{"const":"l"}],"x-formonce":{"type":"select"}},` +
		`"seats":{"type":"integer","default":5,"minimum":1,"maximum":500,"x-formonce":{"type":"integer"}},` +
		`"terms":{"type":"boolean","const":true,"x-formonce":{"type":"consent","consent_text":"I agree."}}},` +
		`"required":["email","terms"],"additionalProperties":false,` +
		`"x-formonce":{"order":["email","plan","seats","terms"],"default_region":"DE","unknown_fields":"refuse"}}`

	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil || compact.String() != want {
		t.Errorf("got %s, %v", compact.String(), err)
	}
}

func TestAForeignDocumentIsReadAsFarAsItGoes(t *testing.T) {
	t.Parallel()

	type f = forms.SchemaField

	cases := []struct {
		property string
		want     f
		notes    string
	}{
		{`{"type":"string"}`, f{Type: forms.TypeText}, ""},
		{`{"type":["string","null"],"title":"T","description":"D"}`, f{Type: forms.TypeText, Label: "T", Help: "D"}, ""},
		{`{"type":"string","format":"idn-email"}`, f{Type: forms.TypeEmail}, ""},
		{`{"type":"string","format":"uri"}`, f{Type: forms.TypeURL}, ""},
		{`{"type":"string","format":"date"}`, f{Type: forms.TypeDate}, ""},
		{`{"type":"string","format":"uuid"}`, f{Type: forms.TypeText}, "f: the format uuid was left out."},
		{`{"type":"string","minLength":2.0,"maxLength":9}`, f{Type: forms.TypeText, MinLength: 2, MaxLength: 9}, ""},
		{`{"type":"string","pattern":"^a+$"}`, f{Type: forms.TypeText, Pattern: "a+"}, ""},
		{`{"type":"string","pattern":"^a|b$"}`, f{Type: forms.TypeText, Pattern: `(?s:.*)(?:^a|b$)(?s:.*)`}, ""},
		{`{"type":"string","pattern":"^a\\$"}`, f{Type: forms.TypeText, Pattern: `(?s:.*)(?:^a\$)(?s:.*)`}, ""},
		{`{"type":"string","pattern":"(?=a)"}`, f{Type: forms.TypeText}, "f: the rule pattern was left out."},
		{`{"type":"number","minimum":0.50,"multipleOf":0.25}`, f{Type: forms.TypeNumber, Min: "0.50", Step: "0.25"}, ""},
		{`{"type":"number","minimum":1,"multipleOf":2}`, f{Type: forms.TypeNumber, Min: "1"}, "f: the rule multipleOf was left out."},
		{`{"type":"integer","maximum":12345678901234567890}`, f{Type: forms.TypeInteger, Max: "12345678901234567890"}, ""},
		{`{"type":"integer","exclusiveMinimum":1}`, f{Type: forms.TypeInteger}, "f: the rule exclusiveMinimum was left out."},
		{`{"type":"boolean","default":true}`, f{Type: forms.TypeCheckbox, Default: []string{"true"}}, ""},
		{`{"type":"boolean","const":true}`, f{Type: forms.TypeCheckbox}, "f: the rule const was left out."},
		{`{"enum":["a",1,null]}`, f{Type: forms.TypeSelect, Options: []forms.Option{{Value: "a"}, {Value: "1"}}}, ""},
		{`{"anyOf":[{"const":"a","title":"A"}]}`, f{Type: forms.TypeSelect, Options: []forms.Option{{Value: "a", Label: "A"}}}, ""},
		{
			`{"type":"array","items":{"$ref":"#/$defs/c~1d"},"minItems":1,"uniqueItems":true}`,
			f{Type: forms.TypeMultiselect, MinChoices: 1, Options: []forms.Option{{Value: "a"}}},
			"",
		},
		{`{"$ref":"#/$defs/mail","title":"Mine"}`, f{Type: forms.TypeEmail, Label: "Mine", MaxLength: 50}, ""},
		{`{"type":"string","not":{"const":"x"},"examples":["y"]}`, f{Type: forms.TypeText}, "f: the rule not was left out."},
		{`{"type":"string","minimum":1}`, f{Type: forms.TypeText}, "f: the rule minimum was left out."},
	}

	for _, c := range cases {
		document := `{"type":"object","properties":{"f":` + c.property + `},"$defs":{
			"c/d":{"enum":["a"]},"mail":{"$ref":"#/$defs/deep","maxLength":50},"deep":{"type":"string","format":"email","title":"Deep"}}}`

		got, notes, err := forms.SchemaFromJSONSchema([]byte(document))
		if err != nil {
			t.Errorf("%s: %v %s", c.property, err, refusals(err))
			continue
		}

		c.want.Key = "f"
		if !reflect.DeepEqual(got.Fields, []f{c.want}) || strings.Join(notes, " ") != c.notes {
			t.Errorf("%s: got %+v and %q", c.property, got.Fields, notes)
		}
	}
}

func TestAWholeForeignDocumentIsRead(t *testing.T) {
	t.Parallel()

	got, notes, err := forms.SchemaFromJSONSchema([]byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema",
		"title":"Order","type":"object","required":["z","gone","a"],"minProperties":1,"additionalProperties":false,
		"properties":{"z":{"type":"string"},"a":{"type":"integer"},"o":{"type":"object"},"l":{"type":"array"},"bad key":{},
			"self":{"$ref":"#"},"round":{"$ref":"#/properties/round"}}}`))
	if err != nil {
		t.Fatal(err)
	}

	if len(got.Fields) < 2 || got.Fields[0].Key != "z" || !got.Fields[0].Required || got.Fields[1].Key != "a" ||
		got.Unknown != forms.UnknownRefuse {
		t.Errorf("got %+v", got)
	}

	for _, part := range []string{"minProperties", "o was left out", "l was left out", "bad key was left out", "gone is required"} {
		if !strings.Contains(strings.Join(notes, "\n"), part) {
			t.Errorf("no note says %q: %q", part, notes)
		}
	}
}

func TestADocumentThatCannotBeUsedIsRefused(t *testing.T) {
	t.Parallel()

	for _, c := range []struct{ document, sentence string }{
		{``, "no JSON text"},
		{`{"type":"object"`, "no JSON text"},
		{`{"a":1,"a":2}`, "no JSON text"},
		{"{\"a\":\"\xff\"}", "no JSON text"},
		{strings.Repeat(`[`, 40) + strings.Repeat(`]`, 40), "nested deeper"},
		{`"` + strings.Repeat("a", 300<<10) + `"`, "larger than"},
		{`{"properties":{"a":{"maximum":1e999999999}}}`, "no JSON text"},
		{`{"type":"thing"}`, "no JSON Schema"},
		{`{"properties":{"a":{"minLength":-1}}}`, "no JSON Schema"},
		{`{"properties":{"a":{"$ref":"#/$defs/none"}}}`, "no JSON Schema"},
		{`{"properties":{"a":{"$ref":"https://evil.example/x"}}}`, "refers to another"},
		{`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "refers to another"},
		{`{"properties":{"a":{"$ref":"other.json"}}}`, "refers to another"},
		{`{"$schema":"https://evil.example/meta","properties":{"a":{}}}`, "refers to another"},
		{`{"type":"object"}`, "no field"},
		{`true`, "no field"},
		{`{"properties":{"a":{"type":"string","minLength":5,"maxLength":4}}}`, ""},
	} {
		schema, _, err := forms.SchemaFromJSONSchema([]byte(c.document))
		if err == nil || schema != nil {
			t.Errorf("%.80s was taken", c.document)
			continue
		}

		code := "invalid_json_schema"
		if c.sentence == "" {
			code = "invalid_schema"
		}

		wantCode(t, err, code)

		if said := messageOf(err); !strings.Contains(said, c.sentence) {
			t.Errorf("%.80s: got %q, want %q", c.document, said, c.sentence)
		}
	}
}

// FuzzJSONSchema reads any document: it is refused, or it becomes a schema that comes back from its own document.
func FuzzJSONSchema(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"type":"string","pattern":"^a$","x-formonce":{"type":"text","shown":{"field":"b","is":"present"}}},"b":{"enum":["x"]}}}`))
	f.Add([]byte(`{"properties":{"a":{"$ref":"#/properties/a"}}}`))
	f.Add([]byte(`{"properties":{"a":{"type":"number","minimum":1,"multipleOf":1e-3,"default":0.5}}}`))

	f.Fuzz(func(t *testing.T, document []byte) {
		schema, _, err := forms.SchemaFromJSONSchema(document)
		if err != nil {
			return
		}

		written, err := schema.JSONSchema()
		if err != nil {
			t.Fatal(err)
		}

		again, notes, err := forms.SchemaFromJSONSchema(written)
		if err != nil || len(notes) > 0 || len(again.Fields) != len(schema.Fields) {
			t.Fatalf("%s: %v %q", written, err, notes)
		}
	})
}
