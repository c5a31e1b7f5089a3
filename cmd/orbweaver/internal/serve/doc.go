// Package serve is the web interface: projects that are checked again and again, with an API
// and pages.
//
//	Run          opens the data directory, listens, and stops gracefully    life.go
//	ServeHTTP    the order in which a request may be refused                 dispatch.go
//	match        finds the row of a request, by the patterns of http.ServeMux  match.go
//	routes       one table: method, path, role, handler, schemas             routes.go
//	events       server-sent events                                         events.go
//	openAPI      the description of the API, made from the table             openapi.go
//
// Authentication is what happens to a request unless its row in the table says otherwise: a
// row is public, or takes a read-only token in its query.
//
// # Pages and the API
//
// Every handler has two parts. What is asked is a method of package service, which takes plain
// values and returns an object of package api or an error, which is an *api.Problem if the
// client is at fault. The handler knows HTTP: it reads the path, the query and the body of a
// call, and writes what came back. Pages call the same methods, so a page and the API cannot
// disagree: a page shows the message of an api.Problem next to the field that it names.
//
// # Packages
//
//	api          the objects of the API
//	service      what can be asked and done
//	runs         the queue, and the life of a run
//	findings     what a run found, indexed for lists
//	store        serve.db
//	auth         accounts, tokens and sessions
//	sso          signing in at an OpenID Connect provider
//	secret       encrypts the secrets of projects
//	schedule     when runs start by themselves
//	strictjson   reads what clients post
package serve
