package forms

// Schema is what an endpoint asks of the fields of its submissions. It is made as a literal, and Check says whether it can
// be used and readies it; after that it is not changed any more, and any number of goroutines may use it.
type Schema struct {
	// Version is the number under which the schema is published; 0 for a draft.
	Version int
	// Fields are the known fields in the order in which a form shows them.
	Fields []SchemaField
	// Unknown says what becomes of fields that the schema does not name; empty means UnknownKeep.
	Unknown UnknownFields
	// Region is the country (ISO 3166-1 alpha-2, upper case) whose phone numbers may be written without a country code;
	// empty means that every phone number needs one.
	Region string

	rules *schemaRules
}

// UnknownFields is the rule for fields that a schema does not name.
type UnknownFields string

// The rules for unknown fields: they are stored as they were sent, left out, or the submission is refused.
const (
	UnknownKeep   UnknownFields = "keep"
	UnknownDrop   UnknownFields = "drop"
	UnknownRefuse UnknownFields = "refuse"
)

// FieldType says what the value of a field means.
type FieldType string

// The types of fields.
const (
	TypeText        FieldType = "text"        // a text; a form shows one line
	TypeMultiline   FieldType = "multiline"   // a text; a form shows several lines
	TypeEmail       FieldType = "email"       // one bare mail address (RFC 5321), its domain in ASCII and lower case
	TypePhone       FieldType = "phone"       // a valid phone number, in E.164 with ";ext=" before an extension
	TypeURL         FieldType = "url"         // an absolute http or https address without user-info
	TypeNumber      FieldType = "number"      // a decimal number as HTML writes it, its text kept exactly
	TypeInteger     FieldType = "integer"     // a whole number of any size
	TypeDate        FieldType = "date"        // YYYY-MM-DD, a day that the calendar has
	TypeTime        FieldType = "time"        // HH:MM or HH:MM:SS, 24 hours
	TypeSelect      FieldType = "select"      // the value of one option
	TypeMultiselect FieldType = "multiselect" // the values of options, as repeats, under key[], or as a JSON array
	TypeCheckbox    FieldType = "checkbox"    // true or false
	TypeConsent     FieldType = "consent"     // false, or an object with agreed, text and version
	TypeRating      FieldType = "rating"      // a whole number from 1 to RatingMax
	TypeCountry     FieldType = "country"     // an ISO 3166-1 alpha-2 code in upper case
	TypeHidden      FieldType = "hidden"      // whatever the page puts there; no person fills it in
	TypeFile        FieldType = "file"        // files, never a text
)

// DefaultRatingMax is the best rating of a field that sets none.
const DefaultRatingMax = 5

// SchemaField is one known field. The zero value of a limit is no limit, and a limit that means nothing for the type is
// refused by Check. An empty value counts as not given.
type SchemaField struct {
	// Key is the name under which the field is sent and stored: 1 to 64 of the letters a-z, A-Z, digits and - _ . [ ],
	// beginning with a letter or a digit.
	Key   string
	Type  FieldType
	Label string
	Help  string
	// Required asks for a value whenever the field is shown; of a checkbox or a consent it asks that it is ticked.
	Required bool
	// MinLength and MaxLength count the Unicode code points of a text.
	MinLength, MaxLength int
	// Min and Max are inclusive and written as the field's own values are: a JSON number, a date or a time.
	Min, Max string
	// Step is a JSON number above 0. Values are Min, or 0 without one, and a whole number of steps.
	Step string
	// Pattern is an RE2 expression that the whole text has to match; PatternMessage is shown instead of our own sentence.
	Pattern, PatternMessage string
	// Options are the choices of a select or multiselect; MinChoices and MaxChoices bound how many of a multiselect.
	Options                []Option
	MinChoices, MaxChoices int
	// Default is what a form shows at first, several values only of a multiselect. Nothing is added to a submission that
	// does not hold the field.
	Default []string
	// ConsentText is what a consent agrees to, ConsentVersion the owner's name for this wording. Both are stored with it.
	ConsentText, ConsentVersion string
	// RatingMax is the best rating; 0 means DefaultRatingMax.
	RatingMax int
	// MaxFileBytes bounds one file, MaxFiles their number; FileTypes are media types such as image/* or application/pdf.
	MaxFileBytes int64
	MaxFiles     int
	FileTypes    []string
	// Shown is when the field is there at all, always without one. A field that is not shown is asked for nothing, and
	// Normalize drops what was sent for it.
	Shown *Condition
	// RequiredWhen asks for a value, as Required does, when the condition holds.
	RequiredWhen *Condition
}

// Option is one choice: Value is stored, Label shown; without a Label the Value is shown.
type Option struct {
	Value, Label string
}

// Condition compares another field, or joins conditions: exactly one of Field, All and Any is set.
type Condition struct {
	// Field is the key of another field. One that is not shown is absent.
	Field string
	Is    Comparison
	// Values is one text for equals, not_equals, greater and less, one or more for one_of, none for present and absent.
	// A checkbox or consent is compared with true and false.
	Values []string
	// All holds when each of them holds, Any when one of them does.
	All, Any []Condition
}

// Comparison is how a Condition compares. Of a multiselect equals and one_of look for one choice among the chosen.
type Comparison string

// The comparisons. Greater and less are for numbers, ratings, dates and times, and hold for no field that is absent;
// not_equals holds for one that is.
const (
	IsEqual    Comparison = "equals"
	IsNotEqual Comparison = "not_equals"
	IsOneOf    Comparison = "one_of"
	IsPresent  Comparison = "present"
	IsAbsent   Comparison = "absent"
	IsGreater  Comparison = "greater"
	IsLess     Comparison = "less"
)
