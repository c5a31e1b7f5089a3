// Package web has the pages of the web interface.
//
//	Routes      one table: method, path, role, handler       routes.go
//	Call        one request for a page                       call.go
//	templates   the pages, made on the server                templates/, render.go
//	static      style sheet, scripts; named by their hash    static/, assets.go
//	charts.go   charts and maps as SVG
//
// A page works without scripts, but for live progress: every action is a form. A handler reads
// the same objects as the API, from package service, and shows the message of an api.Problem
// next to the field that it names. All addresses in pages are relative to their base element,
// so that the interface can be at any path.
//
// The visual language is that of the HTML report: report.Theme.
package web
