package forms

import "strings"

// parseURLEncoded reads application/x-www-form-urlencoded (the URL standard, section 5) from left to right. Pairs are
// parted by & alone, empty pairs are skipped, and a pair without = has an empty value.
func parseURLEncoded(into *collector, body []byte, _ map[string]string) (Family, error) {
	for pair := range strings.SplitSeq(string(body), "&") {
		if pair == "" {
			continue
		}

		rawName, rawText, _ := strings.Cut(pair, "=")

		name, nameOK := percentDecoded(rawName)
		text, textOK := percentDecoded(rawText)

		if !nameOK || !textOK {
			return FamilyForm, malformed("The body has a % that two hex digits do not follow. " +
				"Encode every name and value, with encodeURIComponent for example.")
		}

		into.addText(name, text)
	}

	return FamilyForm, nil
}

// percentDecoded is url.QueryUnescape, without an error that quotes what a visitor wrote.
func percentDecoded(raw string) (string, bool) {
	if !strings.ContainsAny(raw, "%+") {
		return raw, true
	}

	decoded := make([]byte, 0, len(raw))

	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '+':
			decoded = append(decoded, ' ')
		case '%':
			if i+2 >= len(raw) {
				return "", false
			}

			high, low := hexDigits[raw[i+1]], hexDigits[raw[i+2]]
			if high == noDigit || low == noDigit {
				return "", false
			}

			decoded = append(decoded, high<<4|low)
			i += 2
		default:
			decoded = append(decoded, raw[i])
		}
	}

	return string(decoded), true
}

const noDigit = 0xFF

// hexDigits is the value of each hex digit, and noDigit for every other byte.
var hexDigits = func() (values [256]byte) {
	for i := range values {
		values[i] = noDigit
	}

	for i, digit := range []byte("0123456789abcdef") {
		values[digit] = byte(i)
		values[strings.ToUpper(string(digit))[0]] = byte(i)
	}

	return values
}()
