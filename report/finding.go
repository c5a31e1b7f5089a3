package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// level is the severity of a finding in CI systems.
type level uint8

const (
	levelError   level = iota // broken: fails a build
	levelWarning              // unverified and warnings: a person should look
	levelNote                 // nothing to do
	levels
)

// finding is one statement: the verdict on a target, one of its warnings, or what a content
// check found on a page. A verdict that the user made a warning is presented like one.
type finding struct {
	result   *result.Result
	word     string // the verdict, "warning" or "info"
	code     check.Code
	message  string // in lower case, without a period; may be empty
	proposal string // what to use instead: a URL, or a text for a finding of a content check
	level    level
	warning  bool
	excused  bool // it cannot fail a run: a baseline has it, or the target has not been broken for long enough
}

// findingsOf returns the findings of a result that show permits: its verdict first, then
// its warnings.
func findingsOf(show Show, r *result.Result) []finding {
	var all []finding
	if show&(1<<r.Verdict) != 0 {
		all = append(all, finding{result: r, word: r.Verdict.String(), code: r.Code, message: r.Message, proposal: r.Proposal, level: verdictLevel(r.Verdict),
			warning: r.Verdict == check.VerdictWarning || r.Verdict == check.VerdictInfo})
	}
	if show&ShowWarning != 0 {
		for _, w := range r.Warnings {
			if w.IsVerdict(r.Code) {
				continue
			}
			f := finding{result: r, word: "warning", code: w.Code, message: w.Message, proposal: w.Proposal, level: levelWarning, warning: true}
			if w.IsInfo() {
				f.word, f.level = "info", levelNote
			}
			all = append(all, f)
		}
	}
	for i := range all {
		all[i].demote()
	}
	return all
}

// demote lowers the level of a finding that cannot fail a run.
func (f *finding) demote() {
	switch {
	case slices.Contains(f.result.Known, f.code):
		f.excused, f.level = true, levelNote
	case f.result.FailsAfter > 0 && !f.warning:
		f.excused, f.level = true, max(f.level, levelWarning)
	}
}

func verdictLevel(v check.Verdict) level {
	switch v {
	case check.Broken:
		return levelError
	case check.Unverified, check.VerdictWarning:
		return levelWarning
	}
	return levelNote
}

// isProblem reports whether CI systems should report a finding. They should not report
// targets that are ok or skipped.
func (f *finding) isProblem() bool {
	return f.warning || f.result.Verdict != check.OK && f.result.Verdict != check.Skipped
}

// aboutPage reports whether a content check found it on a page.
func (f *finding) aboutPage() bool { return f.result.Kind == result.KindPage }

// title says in a few words what is wrong. It does not know codes that plugins declared.
func (f *finding) title() string {
	if f.word == "ok" {
		return "ok"
	}
	if entry, ok := check.Lookup(f.code); ok {
		return entry.Title
	}
	return string(f.code)
}

// why returns the message, or the title if there is no message.
func (f *finding) why() string { return cmp.Or(f.message, f.title()) }

// reason explains a finding in a row that already has its code and the URL of the target.
// It is empty if these say everything.
func reason(target string, code check.Code, message string) string {
	if _, ok := code.Status(); ok {
		return ""
	}
	if check.NamesRedirect(message) { // the fragment is not that of the target
		return message
	}
	switch code {
	case check.CodeRateLimited, check.CodeTimeout:
		if !strings.HasPrefix(message, "not asked") {
			return ""
		}
	case check.CodeFragmentUnverified:
		if strings.HasSuffix(message, "a script may create it") {
			return ""
		}
	case check.CodeSchemeUnknown:
		if strings.HasSuffix(message, "is unknown") {
			return ""
		}
	case check.CodeFileMissing:
		if strings.HasSuffix(message, "there is no such file") {
			return ""
		}
	case check.CodeOK, check.CodeRedirectLoop, check.CodeRedirectLimit,
		check.CodeDNSNotFound, check.CodeConnectRefused, check.CodeConnectionReset,
		check.CodeFragmentMissing, check.CodeSchemeUnchecked,
		check.CodeFileCase, check.CodeFileOutsideRoot, check.CodeFileFromWeb,
		check.CodeExternal, check.CodeInterrupted,
		check.CodeSoft404, check.CodeMixedContent, check.CodeOutsideBase,
		check.CodeURICredentials, check.CodeURIMisleadingUserinfo, check.CodeURIObfuscatedIP:
		return ""
	}
	return strings.TrimPrefix(message, ownPage(target)+": ")
}

// redirectTarget returns the URL that redirects led to, if the target is broken or
// unverified: the fault is there. It ignores a slash that a redirect appends, and a
// redirect that the message names.
func (f *finding) redirectTarget() string {
	r := f.result
	switch f.code {
	case check.CodeRedirectLoop, check.CodeRedirectLimit, check.CodeRedirectInvalid:
		return ""
	}
	if check.NamesRedirect(f.message) {
		return ""
	}
	if page, _, _ := strings.Cut(r.URL, "#"); f.warning || !isFinding(r.Verdict) || len(r.Redirects) == 0 || r.FinalURL == page || r.FinalURL == page+"/" {
		return ""
	}
	return r.FinalURL
}

// onPage describes a finding of a content check where the page is shown next to it:
//
//	missing-attribute-value: an attribute has no value
func (f *finding) onPage() string {
	s := ofRule(f.result.Rule, f.why())
	if f.proposal != "" {
		s += "; use " + f.proposal
	}
	return s
}

// sentence describes a finding where the URL of the target or page is not shown next to it:
//
//	broken link to https://example.com/gone: not found
//	https://example.com/old: moved permanently; use https://example.com/new
//	https://example.com/page: the page has no title
func (f *finding) sentence() string {
	var s string
	switch {
	case f.aboutPage():
		return ownPage(f.result.URL) + ": " + f.onPage()
	case f.warning && f.message == "":
		s = f.title() + ": " + f.result.URL
	case f.warning:
		s = f.result.URL + ": " + f.message
	case f.word == "ok":
		return f.result.URL + ": ok"
	default:
		s = f.word + " link to " + f.result.URL + ": " + strings.TrimPrefix(f.why(), ownPage(f.result.URL)+": ")
	}
	for i, url := range f.alternatives() {
		switch {
		case i > 0:
			s += " or " + url
		case f.warning:
			s += "; use " + url
		default:
			s += "; did you mean " + url
		}
	}
	if !f.warning && len(f.alternatives()) > 0 {
		s += "?"
	}
	if archived := f.archived(); archived != "" {
		s += "; " + archived
	}
	return s
}

// archived describes the archived copy of a target that no longer exists.
func (f *finding) archived() string {
	for _, s := range f.result.Suggestions {
		if !f.warning && check.IsArchived(s) {
			return s.Why + ": " + s.URL
		}
	}
	return ""
}

// alternatives returns at most three URLs to use instead. It returns none for a warning
// whose message already names the URL.
func (f *finding) alternatives() []string {
	const most = 3
	if f.warning || f.aboutPage() {
		if f.proposal == "" || strings.HasSuffix(f.message, " "+f.proposal) {
			return nil
		}
		return []string{f.proposal}
	}
	var urls []string
	for _, s := range f.result.Suggestions {
		if s.URL != "" && len(urls) < most && !check.IsArchived(s) {
			urls = append(urls, s.URL)
		}
	}
	return urls
}

// places returns the places of a finding: every reference to its target, in the source of
// its page if that is known. If there is no reference, or if the finding is about the
// content of the page itself, the place is the target.
func (f *finding) places() []place {
	refs := f.references()
	if len(refs) == 0 {
		return []place{{page: ownPage(f.result.URL)}}
	}
	all := make([]place, len(refs))
	for i := range refs {
		all[i] = placeOf(&refs[i])
	}
	return all
}

// references returns the references to list, at the places where they can be fixed.
func (f *finding) references() []result.Reference {
	if check.OfPage(f.code) {
		return nil
	}
	return atSourcePlaces(affectedReferences(f.result.References, f.code))
}

func joinCodes(codes []check.Code) string {
	var b strings.Builder
	for i, code := range codes {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(code))
	}
	return b.String()
}
