package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// rowsOf returns the rows of a result, without their places.
func rowsOf(show Show, r *result.Result) []row {
	var rows []row
	for _, f := range findingsOf(show, r) {
		r := row{word: f.word, code: string(f.code), url: f.result.URL}
		switch {
		case f.result.Kind == result.KindPage:
			r.url, r.hint = "", ofRule(f.result.Rule, visible(f.message))
			if f.proposal != "" {
				r.hint = joinHints(r.hint, "-> "+visible(f.proposal))
			}
		case f.proposal != "":
			r.hint = "-> " + visible(f.proposal)
		case f.warning:
			r.hint = visible(reason(f.result.URL, f.code, f.message))
		default:
			r.hint = joinHints(visible(reason(f.result.URL, f.code, f.message)), redirectedTo(f.redirectTarget()), lastSeen(f.result.Archive), cmp.Or(didYouMean(f.result.URL, f.result.Suggestions), withoutScheme(f.result)))
		}
		r.hint = addRunState(r.hint, &f)
		rows = append(rows, r)
	}
	return rows
}

// ofRule puts the rule of a finding before its message.
func ofRule(rule, message string) string {
	if rule == "" {
		return message
	}
	return visible(rule) + ": " + message
}

// addRunState adds what a hint says about other runs: how often the target was broken,
// whether the result is cached, and whether a baseline has the finding.
func addRunState(hint string, f *finding) string {
	var run, cached, known string
	if r := f.result; !f.warning {
		if r.FailsAfter > 0 {
			run = fmt.Sprintf("run %d of %d", r.BrokenRuns, r.FailsAfter)
		}
		if r.Cached {
			cached = "cached"
		}
	}
	if slices.Contains(f.result.Known, f.code) {
		known = "known"
	}
	return joinHints(hint, run, cached, known)
}

// joinHints joins the hints after a finding, omitting empty ones.
func joinHints(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "   ")
}

func redirectedTo(url string) string {
	if url == "" {
		return ""
	}
	return "redirected to " + visible(url)
}

// lastSeen says when an archive last saw a page.
func lastSeen(a *check.Archived) string {
	switch {
	case a == nil:
		return ""
	case a.Class == check.NeverSeen:
		return "never archived"
	case !a.LastSeen.IsZero():
		return "last seen " + a.LastSeen.Format(time.DateOnly)
	}
	return ""
}

// withoutScheme says what links to a host were meant to be that is written like a file:
// www.example.com means a file of this name in the directory of the page.
func withoutScheme(r *result.Result) string {
	if r.Code != check.CodeFileMissing && r.Status != 404 && r.Status != 410 || len(r.References) == 0 {
		return ""
	}
	raw := strings.TrimSpace(r.References[0].Raw)
	for i := range r.References {
		if other := strings.TrimSpace(r.References[i].Raw); other != raw || len(raw) < len("www.") || !strings.EqualFold(raw[:len("www.")], "www.") {
			return ""
		}
	}
	return "did you mean https://" + visible(urinorm.Redact(raw)) + "?"
}

// didYouMean lists suggestions. Suggestions on the same page appear as a fragment only.
// An archived copy is not a guess, so it has its own sentence.
func didYouMean(url string, suggestions []check.Suggestion) string {
	const most = 3
	page, _, _ := strings.Cut(url, "#")
	var names []string
	archived := ""
	for _, s := range suggestions {
		name := s.URL
		if check.IsArchived(s) {
			archived = visible(s.Why) + ": " + visible(name)
			continue
		}
		if name == "" || len(names) == most {
			continue
		}
		if rest, ok := strings.CutPrefix(name, page); ok && strings.HasPrefix(rest, "#") {
			name = rest
		}
		names = append(names, visible(name))
	}
	meant := ""
	switch last := len(names) - 1; last {
	case -1:
		return archived
	case 0:
		meant = "did you mean " + names[0] + "?"
	default:
		meant = "did you mean " + strings.Join(names[:last], ", ") + " or " + names[last] + "?"
	}
	if archived != "" {
		meant += " " + archived
	}
	return meant
}
