// Package storetest tests every frontier.Store against the contract: those in memory, in a file, and on a
// server, and what stores promise that outlive their process or that several processes share. A new store is a
// row of its tests.
package storetest
