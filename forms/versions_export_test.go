package forms

// What the tests of versions look at from outside.
var (
	ChangesBetween = changesBetween
	SameSchema     = sameSchema
	EncodeSchema   = encodeSchema
	DecodeSchema   = decodeSchema
)
