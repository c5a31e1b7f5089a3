package report

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strconv"
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

// place is where a finding stands.
type place struct {
	page         string // as reports name pages
	line, column int    // 0 where there is none
	ref          *crawler.Reference
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

func placeOf(ref *crawler.Reference) place {
	p := place{page: ref.Page, ref: ref}
	if ref.Line > 0 {
		p.line, p.column = ref.Line, max(ref.Column, 1)
	}
	return p
}

// spot is where on its page a reference stands that has no line: on a page of a PDF, in
// its outline, or in a header of the answer. Empty where nothing is known.
func spot(ref *crawler.Reference) string {
	const longest = 20
	if ref == nil || ref.Line > 0 || pdfPage(ref) == 0 && ref.Element != "outline" && ref.Element != "header" {
		return ""
	}
	return clip(visible(ref.Element), longest)
}

// pdfPage is the page of a PDF that a reference stands on, 0 where it is none.
func pdfPage(ref *crawler.Reference) int {
	number, ok := strings.CutPrefix(ref.Element, "page ")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// references are those to list, at the places where people mend them.
func (f *finding) references() []crawler.Reference {
	if check.OfPage(f.code) {
		return nil
	}
	return atSources(concerned(f.result.References, f.code))
}

// concerned are the references that a finding is about.
func concerned(refs []crawler.Reference, code check.Code) []crawler.Reference {
	if !slices.ContainsFunc(refs, func(r crawler.Reference) bool { return !r.Concerns(code) }) {
		return refs
	}
	return slices.DeleteFunc(slices.Clone(refs), func(r crawler.Reference) bool { return !r.Concerns(code) })
}

// ownPage names the page that a target's URL stands for as references name it:
// without its fragment, and a file by its path.
func ownPage(target string) string {
	page, _, _ := strings.Cut(target, "#")
	if schemeOf(page) != "" {
		return page
	}
	if p, err := url.PathUnescape(page); err == nil {
		return strings.ToValidUTF8(p, "\uFFFD")
	}
	return page
}

// artifact is the document in which a finding stands: a file by its path, or
// anything else by its URL; both are empty for standard input. What the user
// named stands nowhere, so there it is the target itself.
func (f *finding) artifact(p place) (file, url string) {
	page := p.page
	if page == crawler.CommandLine || page == "" {
		page = ownPage(f.result.URL)
		if schemeOf(page) != "" {
			return "", page
		}
	}
	switch {
	case page == "-":
		return "", ""
	case strings.Contains(page, "://") && schemeOf(page) != "":
		return "", page
	}
	return page, ""
}

// schemeOf returns the scheme of a URL, or "". A drive letter is none.
func schemeOf(s string) string {
	colon := strings.IndexByte(s, ':')
	if colon < 2 {
		return ""
	}
	for i := range colon {
		c := s[i] | 0x20
		if !('a' <= c && c <= 'z' || i > 0 && ('0' <= s[i] && s[i] <= '9' || strings.IndexByte("+-.", s[i]) >= 0)) {
			return ""
		}
	}
	return s[:colon]
}

// inRepository is the path of a file from the root of its repository; the file's
// path is relative to the working directory, which is prefix there.
func inRepository(prefix, file string) string {
	if prefix == "" || path.IsAbs(file) {
		return file
	}
	return path.Join(prefix, file)
}

// occurrence is a finding at one of its places.
type occurrence struct {
	*finding
	place
}

// sentence says where a finding stands, too, for which readers have lines alone.
func (o *occurrence) sentence() string {
	s := o.finding.sentence()
	if at := spot(o.ref); at != "" {
		s += " (" + at + ")"
	}
	return s
}

// occurrences gathers findings at their places.
type occurrences []occurrence

func (o *occurrences) add(show Show, r *crawler.Result) {
	findings := findingsOf(show, r)
	for i := range findings {
		for _, p := range findings[i].places() {
			*o = append(*o, occurrence{&findings[i], p})
		}
	}
}

// byPage sorts by page and place; findings at one place keep their order.
func (o occurrences) byPage() {
	slices.SortStableFunc(o, func(a, b occurrence) int {
		if a.page != b.page {
			return cmp.Compare(a.page, b.page)
		}
		return compareSpots(a.ref, b.ref)
	})
}

// eachPage calls fn for each page of occurrences, which are sorted by page.
func (o occurrences) eachPage(fn func(page string, o occurrences)) {
	for len(o) > 0 {
		n := 1
		for n < len(o) && o[n].page == o[0].page {
			n++
		}
		fn(o[0].page, o[:n])
		o = o[n:]
	}
}
