package forms

import (
	"crypto/sha256"
	"regexp"
	"slices"
	"strings"

	"formonce/internal/fault"
)

// KeyFormat is what an endpoint asks of its keys beyond the general rule.
type KeyFormat string

// The formats. KeyFormatUUID takes the 36-character spelling of RFC 9562, in either case; keys that differ in case are
// different keys.
const (
	KeyFormatAny  KeyFormat = "any"
	KeyFormatUUID KeyFormat = "uuid"
)

const (
	shortestKey = 16
	longestKey  = 255
)

var uuidSpelling = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

var (
	errKeyEmpty = invalidKey("The idempotency key is empty. Send a new random key, such as a UUID, or leave it out.")
	errKeyForm  = invalidKey("An idempotency key has 16 to 255 printable ASCII characters without blanks, " +
		"such as a UUID; if it begins or ends with a quotation mark, it has to be a complete quoted string.")
	errKeyNotUUID  = invalidKey("This form takes UUIDs as idempotency keys. Send one in its 36-character spelling.")
	errKeyNotText  = invalidKey("The idempotency key has to be text. Put it in quotation marks.")
	errKeyHeaders  = invalidKey("The header Idempotency-Key was sent more than once. Send it once.")
	errKeysDiffer  = invalidKey("The field _idempotency was sent with two different keys. Send one key.")
	errKeyTwoWords = invalidKey("The header Idempotency-Key and the field _idempotency hold different keys. " +
		"Send one of them, or the same key in both.")
)

func invalidKey(sentence string) *fault.Fault {
	return fault.New(fault.Invalid, "invalid_idempotency_key", sentence)
}

// IdempotencyKey joins the values of the header Idempotency-Key and the control field into the one key of the request,
// in its bare form: a quoted string (RFC 8941) is the same key as what it quotes. ok is false when none was given. Every
// error is a Fault invalid_idempotency_key.
func IdempotencyKey(headers []string, controls Controls, format KeyFormat) (key string, ok bool, err error) {
	if len(headers) > 1 {
		return "", false, errKeyHeaders
	}

	if controls.keyRefusal != nil {
		return "", false, controls.keyRefusal
	}

	given := headers
	if controls.HasKey {
		given = append(slices.Clip(given), controls.Key)
	}

	for _, raw := range given {
		checked, err := checkKey(raw, format)
		if err != nil {
			return "", false, err
		}

		if ok && checked != key {
			return "", false, errKeyTwoWords
		}

		key, ok = checked, true
	}

	return key, ok, nil
}

func checkKey(raw string, format KeyFormat) (string, error) {
	key, ok := bareKey(raw)

	switch {
	case raw == "" || ok && key == "":
		return "", errKeyEmpty
	case !ok || len(key) < shortestKey || len(key) > longestKey || !isPrintable(key):
		return "", errKeyForm
	case format == KeyFormatUUID && !uuidSpelling.MatchString(key):
		return "", errKeyNotUUID
	}

	return key, nil
}

func isPrintable(key string) bool {
	for i := range len(key) {
		if key[i] < '!' || key[i] > '~' {
			return false
		}
	}

	return true
}

// bareKey takes the quotes off; false means that they do not belong together.
func bareKey(raw string) (string, bool) {
	if !strings.HasPrefix(raw, `"`) {
		return raw, !strings.HasSuffix(raw, `"`)
	}

	if len(raw) < len(`""`) {
		return "", false
	}

	bare := make([]byte, 0, len(raw))

	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			return string(bare), i == len(raw)-1
		case '\\':
			i++
			if i == len(raw) || raw[i] != '"' && raw[i] != '\\' {
				return "", false
			}
		}

		bare = append(bare, raw[i])
	}

	return "", false
}

// sameKey compares two spellings before either is judged, so that what is no key at all is the same only as itself.
func sameKey(a, b string) bool {
	bareA, okA := bareKey(a)
	bareB, okB := bareKey(b)

	return okA == okB && bareA == bareB && (okA || a == b)
}

// KeyHash is what is stored in place of the key: 32 bytes of SHA-256 over the endpoint and the key, each with its length
// before it. A hash alone does not tell on which endpoints one key was used.
func KeyHash(endpointID, key string) []byte {
	encoded := append(make([]byte, 0, 32+len(endpointID)+len(key)), "formonce key\x00"...)
	encoded = appendSized(encoded, endpointID)
	encoded = appendSized(encoded, key)
	hash := sha256.Sum256(encoded)

	return hash[:]
}
