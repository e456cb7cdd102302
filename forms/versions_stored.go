package forms

import (
	"bytes"
	"cmp"
	"errors"

	"github.com/go-json-experiment/json"
)

// errStoredSchema names no place and no text: what an owner wrote is nobody else's.
var errStoredSchema = errors.New("the stored schema is not in the form in which we write it; restore the row")

// encodeSchema returns the form in which a schema is stored: an object with the names that the fields have in Schema. These
// names are what old rows are read by, so a field of Schema that is renamed needs a migration.
func encodeSchema(s *Schema) ([]byte, error) {
	stored := Schema{Fields: s.Fields, Unknown: s.Unknown, Region: s.Region}

	return json.Marshal(&stored, json.OmitZeroStructFields(true))
}

// decodeSchema is the inverse of encodeSchema; the schema is ready for use. It is not checked again: what was published
// once stays what it is, whatever Check has learned since.
func decodeSchema(stored []byte, version int) (*Schema, error) {
	made := &Schema{}
	if err := json.Unmarshal(stored, made); err != nil {
		return nil, errStoredSchema
	}

	made.Version = version
	made.Unknown = cmp.Or(made.Unknown, UnknownKeep)
	made.rules = made.compile()

	return made, nil
}

// sameSchema says whether the two ask the same, whatever their versions. It compares what is exported, in which everything
// stands that a schema says, and an empty list is none.
func sameSchema(a, b *Schema) (bool, error) {
	one, err := exportedWithDefaults(a)
	if err != nil {
		return false, err
	}

	other, err := exportedWithDefaults(b)

	return bytes.Equal(one, other), err
}

func exportedWithDefaults(s *Schema) ([]byte, error) {
	full := Schema{Fields: s.Fields, Unknown: cmp.Or(s.Unknown, UnknownKeep), Region: s.Region}

	return full.JSONSchema()
}
