// Package notify tells people and programs what changed between the runs of a project.
//
//	Decide    which event a run is, given what was told before       decide.go
//	Event     its title, its text, and the JSON of a webhook         event.go
//	Target    where a project wants its events to go                 target.go
//	Sender    sends an event to one target, with three tries         sender.go webhook.go email.go
//	Store     what was decided and sent                              store.go
//	Feed      the same events as an Atom feed                        feed.go
//	Badge     the state of the last run as an image                  badge.go
//
// An event is decided once and stored before it is sent, so that a server that is killed
// neither forgets it nor sends it twice.
//
// Webhooks are requests that users of the server make it send. They reach the same
// addresses as its runs, judged when connecting, follow no redirects and use no proxy. The
// server for mail is the administrator's choice and may be anywhere.
package notify
