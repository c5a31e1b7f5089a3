package report

import (
	"cmp"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// catalog describes the codes of a run: those of the table, and those that plugins
// declared. It is nil for a run without plugins.
type catalog map[check.Code]Code

func newCatalog(h *Head) catalog {
	if len(h.Codes) == 0 {
		return nil
	}
	c := make(catalog, len(h.Codes))
	for _, code := range h.Codes {
		c[code.Code] = code
	}
	return c
}

// lookup returns the entry of a code. A code that a plugin declared has a title and
// advice, and no explanation.
func (c catalog) lookup(code check.Code) (check.Entry, bool) {
	if e, known := check.Lookup(code); known {
		return e, true
	}
	declared, ok := c[code]
	if !ok {
		return check.Entry{Code: code, Title: string(code), Severity: check.SeverityWarning}, false
	}
	e := check.Entry{Code: code, Severity: check.SeverityWarning, Title: cmp.Or(declared.Title, string(code)), Advice: declared.Advice, Group: check.GroupPlugins}
	switch declared.Severity {
	case check.Broken:
		e.Severity = check.SeverityError
	case check.VerdictInfo:
		e.Severity = check.SeverityInfo
	}
	return e, true
}

// severity returns the severity of a code. That of an unknown code is [check.SeverityInfo].
func (c catalog) severity(code check.Code) check.Severity {
	e, known := c.lookup(code)
	if !known {
		return check.SeverityInfo
	}
	return e.Severity
}

// title says in a few words what a code means.
func (c catalog) title(code check.Code) string {
	e, _ := c.lookup(code)
	return e.Title
}
