package api

import "formonce/tenants"

// Row is a row of the table as the tests see it.
type Row struct {
	Method, Path string
	Role         tenants.Role
	Scope        tenants.Scope
	Open, Once   bool
	// Self rows ask for no role.
	Self bool
}

// Rows lists the table.
func Rows() []Row {
	rows := make([]Row, len(table))
	for i, row := range table {
		rows[i] = Row{row.method, row.path, row.role, row.scope, row.open, row.once, row.self}
	}

	return rows
}
