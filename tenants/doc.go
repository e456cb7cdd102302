// Package tenants owns the customers of the service: tenants, the people in them, and the keys of their programs.
package tenants
