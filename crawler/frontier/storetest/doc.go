// Package storetest is the contract of frontier.Store as a test suite. A new
// store's own test is a call of Run.
package storetest
