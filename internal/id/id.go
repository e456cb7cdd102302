// Package id makes and writes the identifiers of the service: UUIDv7 in storage, a prefix and 32 hex digits for people.
package id

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// New returns a UUIDv7 (RFC 9562) that sorts after every earlier one of this process.
func New() uuid.UUID {
	made, err := uuid.NewV7()
	if err != nil {
		//nolint:forbidigo // Nothing can go on without random numbers, and no caller could do anything about it.
		panic(fmt.Errorf("the system has no random numbers: %w", err))
	}

	return made
}

// Write shows an id to people and programs: the prefix (such as "sub_") and 32 lower-case hex digits.
func Write(prefix string, id uuid.UUID) string {
	return prefix + hex.EncodeToString(id[:])
}

// Parse is the inverse of Write. It accepts nothing else, so that one id has one spelling.
func Parse(prefix, text string) (uuid.UUID, error) {
	var id uuid.UUID

	if digits, err := hex.DecodeString(strings.TrimPrefix(text, prefix)); err == nil && len(digits) == len(id) {
		id = uuid.UUID(digits)
	}

	if Write(prefix, id) != text {
		return uuid.UUID{}, fmt.Errorf("an id of this kind is written %s followed by 32 hex digits, in lower case", prefix)
	}

	return id, nil
}
