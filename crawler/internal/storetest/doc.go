// Package storetest tests a frontier.Store against its contract.
//
// The test of a store calls Run, and RunDurable too if the store outlives its process,
// with a function that opens an empty store.
package storetest
