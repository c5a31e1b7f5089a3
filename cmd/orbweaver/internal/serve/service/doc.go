// Package service is what the web interface does, without HTTP: handlers of the API and pages
// call it with plain values, and write what it returns. Errors that are the client's fault are
// *api.Problem; they name the fields that are wrong.
//
//	Projects   sites that are checked again and again, with their secrets
//	Runs       starts, stops and resumes runs, and writes their reports
//	Findings   lists, details, history, comparisons, pages, rechecks
//	Marks      findings that are known, and why
//	Links      read-only addresses
//	Notices    what people are told when a run is done
package service
