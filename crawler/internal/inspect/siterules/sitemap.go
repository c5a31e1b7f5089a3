package siterules

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// sitemapEntry judges an address that a sitemap lists.
func (j *judge) sitemapEntry(e *Entry) {
	report := func(code check.Code, message string) {
		j.found = append(j.found, Finding{ID: e.Listed, In: e.Sitemap, Finding: judging.Finding{Code: code, Line: e.Place.Line, Column: e.Place.Column, Element: "loc", Raw: e.Raw, Message: message}})
	}
	if problem := j.problemOf(e); problem != "" {
		report(judging.CodeSitemapNotOK, "a sitemap lists the address, which "+problem)
	}
	if e.Target.State == OK && !e.Target.Redirects && !e.Linked && !e.Start {
		report(judging.CodeOrphan, "a sitemap lists the page, but no page links to it")
	}
}

// problemOf returns why an address should not be listed, "" if it should.
func (j *judge) problemOf(e *Entry) string {
	t := &e.Target
	switch {
	case t.State == Unknown:
		return ""
	case t.State == Broken:
		return "is broken"
	case t.Redirects:
		return "redirects to " + t.URL
	}
	k := j.of(t.ID)
	switch {
	case k == nil:
		return ""
	case k.noindex:
		return "asks search engines not to index it"
	case k.elsewhere:
		return "names another address as canonical"
	}
	return ""
}
