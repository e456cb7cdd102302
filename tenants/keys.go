package tenants

import "github.com/google/uuid"
import "formonce/internal/id"
import "strings"

func PublicKeyID(keyID uuid.UUID) string { return id.Write(keyIDPrefix, keyID) }

func joinScopes(scopes []Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}

	return strings.Join(names, " ")
}
