package report

import (
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

func cleanHead(h *Head) Head {
	out := *h
	out.Tool = Tool{Name: clean(h.Tool.Name), Version: clean(h.Tool.Version), Clamd: clean(h.Tool.Clamd)}
	out.Codes = cleanAll(h.Codes, func(c Code) Code {
		return Code{Code: check.Code(clean(string(c.Code))), Title: clean(c.Title), Severity: c.Severity, Advice: clean(c.Advice)}
	})
	out.Targets = cleanAll(h.Targets, clean)
	out.Command = cleanAll(h.Command, clean)
	out.Settings = cleanAll(h.Settings, func(s Setting) Setting { return Setting{clean(s.Name), clean(s.Value)} })
	out.Summary = cleanSummary(h.Summary)
	return out
}

// cleanResult returns a copy of r that is safe to print, with its references sorted.
func cleanResult(r *result.Result) *result.Result {
	out := *r
	out.URL = clean(r.URL)
	out.Code = check.Code(clean(string(r.Code)))
	out.Message = clean(r.Message)
	out.Rule, out.Proposal, out.Kind = clean(r.Rule), clean(r.Proposal), result.Kind(clean(string(r.Kind)))
	out.FinalURL, out.RemappedFrom = clean(r.FinalURL), clean(r.RemappedFrom)
	out.Title, out.ContentType = clean(r.Title), clean(r.ContentType)
	out.Redirects = cleanAll(r.Redirects, cleanHop)
	out.Targets = cleanAll(r.Targets, clean)
	out.Level = check.Level(clean(string(r.Level)))
	out.Warnings = cleanAll(r.Warnings, cleanWarning)
	out.Suggestions = cleanAll(r.Suggestions, cleanSuggestion)
	if r.Archive != nil {
		out.Archive = cleanArchived(r.Archive)
	}
	out.References = cleanReferences(r.References, out.URL)
	if !slices.IsSortedFunc(out.References, byPlace) {
		out.References = slices.SortedFunc(slices.Values(out.References), byPlace)
	}
	return &out
}

// cleanReferences cleans references to a target. It copies the slice only if a reference changes.
// Nearly all are clean, and have most strings in common with the one before.
func cleanReferences(in []result.Reference, target string) []result.Reference {
	out, before := in, &result.Reference{}
	secret := strings.Contains(target, hidden)
	for i := range in {
		r := &in[i]
		plain := !secret && (r.Page == before.Page || isClean(r.Page)) && (r.Element == before.Element || isClean(r.Element)) &&
			(r.Attribute == before.Attribute || isClean(r.Attribute)) && (r.Text == before.Text || isClean(r.Text)) &&
			(r.Raw == before.Raw || isClean(r.Raw) && strings.IndexByte(r.Raw, '&') < 0) &&
			r.Folder == "" && r.Unaffected == "" && r.RemappedFrom == "" && r.Selector == "" && r.Source == nil
		if plain {
			before = r
			continue
		}
		if w := CleanReference(*r, target); w != *r {
			if &out[0] == &in[0] {
				out = slices.Clone(in)
			}
			out[i] = w
		}
	}
	return out
}

func isClean(s string) bool { return strings.IndexByte(s, '@') < 0 && utf8.ValidString(s) }

// clean hides passwords in URIs anywhere in s, and makes s valid UTF-8. It is idempotent.
func clean(s string) string {
	if strings.IndexByte(s, '@') >= 0 {
		s = urinorm.Redact(s)
	}
	if utf8.ValidString(s) { // much faster than searching for invalid bytes
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// cleanRaw cleans a reference as its source has it. There, the characters that delimit a
// password may be escaped in the language of the source (&#64;, \40). So if the target
// has a password and the reference shows none, an absolute reference is replaced by the
// printed URL of the target. A relative reference has its password from the base URI.
func cleanRaw(raw, target string) string {
	out := clean(raw)
	if out != raw && strings.Contains(out, hidden) {
		return out
	}
	plain := raw
	if strings.IndexByte(raw, '&') >= 0 {
		plain = html.UnescapeString(raw)
		if shown := clean(plain); shown != plain && strings.Contains(shown, hidden) {
			return shown
		}
	}
	if strings.Contains(target, hidden) && strings.IndexByte(plain, ':') >= 0 && !strings.Contains(raw, hidden) {
		return target
	}
	return out
}

// hidden is the end of a redacted userinfo.
const hidden = ":***@"

// cleanAll applies f to each element. It copies the slice only if an element changes.
func cleanAll[T comparable](in []T, f func(T) T) []T {
	out := in
	for i, v := range in {
		w := f(v)
		if w == v {
			continue
		}
		if &out[0] == &in[0] {
			out = slices.Clone(in)
		}
		out[i] = w
	}
	return out
}

func cleanHop(h result.Hop) result.Hop {
	h.URL = clean(h.URL)
	return h
}

func cleanWarning(w check.Warning) check.Warning {
	out := check.Warning{Code: check.Code(clean(string(w.Code))), Message: clean(w.Message), Proposal: clean(w.Proposal), Level: check.Level(clean(string(w.Level)))}
	if w.Drift != nil {
		d := *w.Drift
		d.TitleWas, d.TitleIs = clean(d.TitleWas), clean(d.TitleIs)
		out.Drift = &d
	}
	return out
}

func cleanArchived(a *check.Archived) *check.Archived {
	out := *a
	out.Service, out.Class, out.MovedTo = clean(a.Service), clean(a.Class), clean(a.MovedTo)
	if a.LastGood != nil {
		out.LastGood = &check.Copy{URL: clean(a.LastGood.URL), Time: a.LastGood.Time}
	}
	return &out
}

func cleanSuggestion(s check.Suggestion) check.Suggestion {
	return check.Suggestion{URL: clean(s.URL), Why: clean(s.Why), Unique: s.Unique}
}

// CleanReference returns a reference to target, which is a printed URL, without passwords
// and as valid UTF-8.
func CleanReference(r result.Reference, target string) result.Reference {
	r.Page = clean(r.Page)
	r.Element, r.Attribute = clean(r.Element), clean(r.Attribute)
	r.Raw = cleanRaw(r.Raw, target)
	r.Text, r.Folder, r.Unaffected, r.RemappedFrom, r.Selector = clean(r.Text), clean(r.Folder), clean(r.Unaffected), clean(r.RemappedFrom), clean(r.Selector)
	if r.Source != nil {
		source := result.Place{File: clean(r.Source.File), Line: r.Source.Line, Column: r.Source.Column, Raw: cleanRaw(r.Source.Raw, target)}
		if source != *r.Source {
			r.Source = &source
		}
	}
	return r
}

func cleanSummary(s *result.Summary) *result.Summary {
	if s == nil {
		return nil
	}
	out := *s
	out.Targets = cleanAll(s.Targets, clean)
	out.StartFailed = cleanAll(s.StartFailed, clean)
	out.Soundness.StoppedBy, out.Soundness.Why = clean(s.Soundness.StoppedBy), clean(s.Soundness.Why)
	return &out
}
