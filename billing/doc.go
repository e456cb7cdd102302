// Package billing is the home of plans, usage and payment. Until a plan can be bought every tenant may submit without a
// ceiling, so there is nothing to ask before a submission is accepted.
package billing
