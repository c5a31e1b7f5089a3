// Package view lets a browser open the pages of a run, and reads what their scripts have made.
//
// The answer to a page's own request comes first and counts. The browser gets the same answer. What
// else it asks is decided about by the door and sent (browser.go). The links, anchors and requests
// that scripts add become part of the page in the step that settles it (page.go). So a page that is
// settled is not rendered again, and all that follows does not tell a rendered page from another
// one.
//
// A fragment that begins with a slash names a view of an application: the script of the document
// shows it (view.go). Each view is a target and a page of its own. Its status does not tell whether
// it exists. Evidence is the data that it asks for, and a view that cannot exist: one is opened for
// each document.
package view
