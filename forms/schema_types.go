package forms

// setting is a limit or a property that only some types have.
type setting uint16

const (
	takesLength setting = 1 << iota
	takesPattern
	takesNumbers
	takesDates
	takesTimes
	takesOptions
	takesChoices
	takesConsent
	takesRating
	takesFiles
	takesDefault
)

const takesBounds = takesNumbers | takesDates | takesTimes

// fieldKind is what the rules know about a type.
type fieldKind struct {
	takes setting
	// normal returns the value as it is stored, or as it was sent when it cannot be read.
	normal func(rules *fieldRules, value Value) Value
	// is says whether a normalised value that is not empty is one of the type.
	is func(rules *fieldRules, value Value) bool
	// refusal is the message for a value that is none.
	refusal string
}

// fieldKinds is the one table of the types. A type is a row here, a constant, and a message in every language.
var fieldKinds = map[FieldType]fieldKind{
	TypeText:        {takesLength | takesPattern | takesDefault, normalLines, isText, "type_text"},
	TypeMultiline:   {takesLength | takesPattern | takesDefault, normalLines, isText, "type_text"},
	TypeEmail:       {takesLength | takesPattern | takesDefault, normalEmail, isEmail, "type_email"},
	TypePhone:       {takesPattern | takesDefault, normalPhone, isPhone, "type_phone"},
	TypeURL:         {takesLength | takesPattern | takesDefault, trimmed, isURL, "type_url"},
	TypeNumber:      {takesNumbers | takesDefault, trimmed, isNumber, "type_number"},
	TypeInteger:     {takesNumbers | takesDefault, trimmed, isInteger, "type_integer"},
	TypeDate:        {takesDates | takesDefault, trimmed, isDate, "type_date"},
	TypeTime:        {takesTimes | takesDefault, trimmed, isTime, "type_time"},
	TypeSelect:      {takesOptions | takesDefault, normalChoice, isText, "option"},
	TypeMultiselect: {takesOptions | takesChoices | takesDefault, normalChoices, isText, "option"},
	TypeCheckbox:    {takesDefault, normalBox, isBox, "type_checkbox"},
	TypeConsent:     {takesConsent, normalConsent, isConsent, "type_checkbox"},
	TypeRating:      {takesRating | takesDefault, trimmed, isInteger, "type_rating"},
	TypeCountry:     {takesDefault, normalCountry, isCountry, "type_country"},
	TypeHidden:      {takesLength | takesPattern | takesDefault, asSent, isAnything, "type_text"},
	TypeFile:        {takesFiles, asSent, isNothing, "type_file"},
}

func asSent(_ *fieldRules, value Value) Value { return value }

func isAnything(*fieldRules, Value) bool { return true }

func isNothing(*fieldRules, Value) bool { return false }

func isText(_ *fieldRules, value Value) bool { return value.IsText() }
