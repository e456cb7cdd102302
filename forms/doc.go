// Package forms is the heart of the service: endpoints take submissions, each submission is accepted exactly once, and
// its owner reads, exports and erases it.
//
// Receive is the flow of a submission from top to bottom; accept is where the database decides who was first.
package forms
