package forms

import (
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/net/idna"
)

// RFC 5321 section 4.5.3.1 and the path of RFC 3696's erratum 1690.
const (
	maxLocalBytes   = 64
	maxAddressBytes = 254
)

// trimmed takes the white space off both ends of a text.
func trimmed(_ *fieldRules, value Value) Value {
	if value.IsText() {
		value.text = strings.TrimSpace(value.text)
	}

	return value
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// normalLines ends lines as scripts do and as a browser counts them for maxlength, and not as a form body spells them.
func normalLines(rules *fieldRules, value Value) Value {
	value = trimmed(rules, value)
	if value.IsText() && strings.Contains(value.text, "\r") {
		value.text = lineEnds.Replace(value.text)
	}

	return value
}

// normalEmail brings the domain into the one spelling that mail is sent to. The part before it belongs to its host and is
// kept as it is.
func normalEmail(rules *fieldRules, value Value) Value {
	value = trimmed(rules, value)
	if !value.IsText() {
		return value
	}

	at := strings.LastIndexByte(value.text, '@')
	if at < 0 {
		return value
	}

	domain, err := idna.Lookup.ToASCII(value.text[at+1:])
	if err != nil {
		return value
	}

	// A name in ASCII is returned in the case in which it was given.
	value.text = value.text[:at+1] + strings.ToLower(domain)

	return value
}

func isEmail(_ *fieldRules, value Value) bool {
	address := value.text

	at := strings.LastIndexByte(address, '@')
	if !value.IsText() || at < 1 || at > maxLocalBytes || len(address) > maxAddressBytes {
		return false
	}

	parsed, err := mail.ParseAddress(address)

	return err == nil && parsed.Name == "" && parsed.Address == address && isMailDomain(address[at+1:])
}

// isMailDomain wants a name below a top-level domain, which no IP address is.
func isMailDomain(domain string) bool {
	top := strings.LastIndexByte(domain, '.') + 1
	if top == 0 && !strings.HasPrefix(domain, "xn--") {
		return false
	}

	if top == len(domain) || strings.Trim(domain[top:], "0123456789") == "" || strings.Contains(domain, "..") {
		return false
	}

	_, err := idna.Lookup.ToASCII(domain)

	return err == nil
}

// anyRegion makes the library ask for a country code.
const anyRegion = "ZZ"

// normalPhone writes what reads as a phone number in E.164. What the library would read in another way when it meets its
// own spelling stays as it was sent.
func normalPhone(rules *fieldRules, value Value) Value {
	value = trimmed(rules, value)
	if !value.IsText() || value.text == "" {
		return value
	}

	written, ok := writePhone(value.text, rules.region)
	if !ok || written == value.text {
		return value
	}

	if again, ok := writePhone(written, rules.region); ok && again == written {
		value.text = written
	}

	return value
}

func writePhone(text, region string) (string, bool) {
	number, err := phonenumbers.Parse(text, region)
	if err != nil {
		return "", false
	}

	written := phonenumbers.Format(number, phonenumbers.E164)
	if extension := number.GetExtension(); extension != "" {
		written += ";ext=" + extension // RFC 3966, since E.164 has no place for it
	}

	return written, true
}

func isPhone(rules *fieldRules, value Value) bool {
	if !value.IsText() || !strings.HasPrefix(value.text, "+") {
		return false
	}

	number, err := phonenumbers.Parse(value.text, rules.region)

	return err == nil && phonenumbers.IsValidNumber(number)
}

func isURL(_ *fieldRules, value Value) bool {
	if !value.IsText() || strings.ContainsAny(value.text, " \\") {
		return false
	}

	parsed, err := url.Parse(value.text)

	return err == nil && (parsed.Scheme == "https" || parsed.Scheme == "http") && parsed.Hostname() != "" && parsed.User == nil
}

func isDate(_ *fieldRules, value Value) bool {
	_, err := time.Parse(time.DateOnly, value.text)

	return value.IsText() && err == nil
}

const hourAndMinute = "15:04"

func isTime(_ *fieldRules, value Value) bool {
	layout := time.TimeOnly
	if len(value.text) == len(hourAndMinute) {
		layout = hourAndMinute
	}

	_, err := time.Parse(layout, value.text)

	return value.IsText() && err == nil && len(value.text) == len(layout)
}

// withSeconds gives times one length, so that they can be compared as texts.
func withSeconds(text string) string {
	if len(text) == len(hourAndMinute) {
		return text + ":00"
	}

	return text
}

// countries are the codes of ISO 3166-1 alpha-2 that are officially assigned.
const countries = " AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW" +
	" BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO" +
	" FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO" +
	" JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS" +
	" MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU" +
	" RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA" +
	" UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW "

func normalCountry(rules *fieldRules, value Value) Value {
	value = trimmed(rules, value)
	if upper := strings.ToUpper(value.text); value.IsText() && knownCountry(upper) {
		value.text = upper
	}

	return value
}

func isCountry(_ *fieldRules, value Value) bool { return value.IsText() && knownCountry(value.text) }

func knownCountry(code string) bool {
	return len(code) == 2 && code[0] != ' ' && code[1] != ' ' && strings.Contains(countries, " "+code+" ")
}
