package forms

import (
	"math/big"
	"strconv"
	"strings"
)

// isNumber takes the valid floating-point numbers of HTML, which every JSON number is. Their size is bounded as that of
// JSON numbers is, so that none is dear to compare.
func isNumber(_ *fieldRules, value Value) bool { return isDecimal(value.text) }

func isDecimal(text string) bool {
	if len(text) > longestNumber {
		return false
	}

	mantissa := text
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		mantissa = text[:at]

		size, err := strconv.Atoi(text[at+1:])
		if err != nil || size > largestExponent || size < -largestExponent {
			return false
		}
	}

	whole, fraction, hasPoint := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")

	return (whole == "" && hasPoint || isDigits(whole)) && (!hasPoint || isDigits(fraction))
}

// isInteger takes whole numbers that are written as such: 1.0 and 1e3 are none.
func isInteger(_ *fieldRules, value Value) bool {
	return len(value.text) <= longestNumber && isDigits(strings.TrimPrefix(value.text, "-"))
}

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}

	return text != ""
}

// rational returns the exact value of a decimal, or nil.
func rational(text string) *big.Rat {
	if !isDecimal(text) {
		return nil
	}

	number, _ := new(big.Rat).SetString(text)

	return number
}

// onStep says whether value is base and a whole number of steps.
func onStep(value, base, step *big.Rat) bool {
	steps := new(big.Rat).Set(value)
	if base != nil {
		steps.Sub(steps, base)
	}

	return steps.Quo(steps, step).IsInt()
}
