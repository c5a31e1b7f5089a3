package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// level is how loud a finding is, as CI systems know it.
type level uint8

const (
	levelError   level = iota // fails a build: broken
	levelWarning              // a person should look: unverified, and warnings
	levelNote                 // nobody has to do anything
	levels
)

// finding is one thing to say of a target: its verdict, or one of its warnings.
type finding struct {
	result   *crawler.Result
	word     string // the verdict, "warning" or "info"
	code     check.Code
	message  string // lower case, no full stop; may be empty
	proposal string // the URL to use instead, of a warning
	level    level
	warning  bool
	spared   bool // it fails no run: a baseline has it, or it has not been broken for long enough
}

// findingsOf lists what show permits to say of a result: its verdict first, then
// its warnings.
func findingsOf(show Show, r *crawler.Result) []finding {
	var all []finding
	if show&(1<<r.Verdict) != 0 {
		all = append(all, finding{result: r, word: r.Verdict.String(), code: r.Code, message: r.Message, level: verdictLevel(r.Verdict)})
	}
	if show&ShowWarning != 0 {
		for _, w := range r.Warnings {
			f := finding{result: r, word: "warning", code: w.Code, message: w.Message, proposal: w.Proposal, level: levelWarning, warning: true}
			if isInfo(w.Code) {
				f.word, f.level = "info", levelNote
			}
			all = append(all, f)
		}
	}
	for i := range all {
		all[i].spare()
	}
	return all
}

// spare makes a finding less loud that fails no run.
func (f *finding) spare() {
	switch {
	case slices.Contains(f.result.Known, f.code):
		f.spared, f.level = true, levelNote
	case f.result.FailsAfter > 0 && !f.warning:
		f.spared, f.level = true, max(f.level, levelWarning)
	}
}

func verdictLevel(v check.Verdict) level {
	switch v {
	case check.Broken:
		return levelError
	case check.Unverified:
		return levelWarning
	}
	return levelNote
}

// isProblem tells what CI systems want to hear of from what is merely listed:
// targets that are ok or skipped.
func (f *finding) isProblem() bool {
	return f.warning || f.result.Verdict == check.Broken || f.result.Verdict == check.Unverified
}

// title says in a few words what is wrong.
func (f *finding) title() string {
	if f.word == "ok" {
		return "ok"
	}
	if entry, ok := check.Lookup(f.code); ok {
		return entry.Title
	}
	return string(f.code)
}

// why is the message, or what the code means where there is none.
func (f *finding) why() string { return cmp.Or(f.message, f.title()) }

// because is why a finding is what it is, for a row that has its code and the target's
// URL already: empty where these say it.
func because(target string, code check.Code, message string) string {
	if _, ok := code.Status(); ok {
		return ""
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

// movedTo is where redirects had led to a target that is not in order: what is wrong is
// wrong there. A slash at the end is no other place.
func (f *finding) movedTo() string {
	r := f.result
	switch f.code {
	case check.CodeRedirectLoop, check.CodeRedirectLimit, check.CodeRedirectInvalid:
		return ""
	}
	if page, _, _ := strings.Cut(r.URL, "#"); f.warning || !isFinding(r.Verdict) || len(r.Redirects) == 0 || r.FinalURL == page || r.FinalURL == page+"/" {
		return ""
	}
	return r.FinalURL
}

// sentence says a finding where the target's URL does not stand beside it:
//
//	broken link to https://example.com/gone: not found
//	moved permanently: https://example.com/old; use https://example.com/new
func (f *finding) sentence() string {
	var s string
	switch {
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

// archived names the copy that an archive has of a target that is gone.
func (f *finding) archived() string {
	for _, s := range f.result.Suggestions {
		if !f.warning && check.IsArchived(s) {
			return s.Why + ": " + s.URL
		}
	}
	return ""
}

// alternatives are the URLs that may be used instead, at most three. The message may
// have named a warning's already.
func (f *finding) alternatives() []string {
	const most = 3
	if f.warning {
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

// places are those of a finding: every reference to its target, in the source of its
// page where that is known, or the target
// itself when nothing refers to it or when the finding is about that page's own
// content.
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

// references are those to list, at the places where people mend them.
func (f *finding) references() []crawler.Reference {
	if check.OfPage(f.code) {
		return nil
	}
	return atSources(concerned(f.result.References, f.code))
}

// blanks writes codes with blanks between.
func blanks(codes []check.Code) string {
	var b strings.Builder
	for i, code := range codes {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(code))
	}
	return b.String()
}
