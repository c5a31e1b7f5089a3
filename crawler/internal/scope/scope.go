package scope

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// ScopeRule is the extent of a seed's site.
type Extent uint8

const (
	// ScopePath is the seed's host, under the seed's directory.
	Path Extent = iota
	// ScopeHost is the whole host.
	Host
	// ScopeDomain is every host of the same registrable domain.
	Domain
	// ScopePage is the seed alone.
	Page
)

// root is a part of a site whose pages are internal.
type root struct {
	scheme    string // "" for http and https, which are one site
	authority string // without "www.", with a port that is not the scheme's own
	domain    string // with ScopeDomain: the registrable domain
	directory string // with ScopePath: the prefix of the path
	page      string // with ScopePage: the one URL
	follow    bool   // its pages are read; those beside a single file are only checked
}

// Scope decides for each URL whether it is followed, only checked, or left alone.
// It is immutable, so that the fate of a URL does not depend on the page that links to it
// first.
type Scope struct {
	Settings
	Print *Printer
	// Uses are those of the rules, followed by those of the exclusions.
	Uses Uses
	CORS CORS

	roots []root
	*signOuts
}

// Settings are what a scope needs of the configuration of a run.
type Settings struct {
	Rules   *Rules
	Judging Judging
	Render  RenderMode // of pages without a rule
	Sites   Sites
	Schemes []string // that can be requested
	// SecretHosts get credentials, even if they are no start targets (fetch.HTTP.SecretHosts).
	SecretHosts []string
	Reading     string // says what else decides about the links of a page (Decides)
}

// Reach sets what depends on the Fetcher of a run, which may be nil: one that does not say which schemes it
// supports supports those of the web.
func (s *Settings) Reach(by fetch.Fetcher) {
	if m, ok := by.(interface{ Schemes() []string }); ok {
		s.Schemes = m.Schemes()
	} else if by != nil {
		s.Schemes = []string{"http", "https"}
	}
	if m, ok := by.(interface{ SecretHosts() []string }); ok {
		s.SecretHosts = m.SecretHosts()
	}
}

// New returns the scope of a run that starts from seeds. It has its own copy of the rules
// for targets, which record whether they match anything.
func New(settings Settings, seeds []Seed) *Scope {
	s := &Scope{Settings: settings, Print: NewPrinter(settings.Sites, settings.Rules.WorkingDir), signOuts: newSignOuts(&settings)}
	s.Judging.Rules = slices.Clone(s.Judging.Rules)
	for i := range s.Judging.Rules {
		r := &s.Judging.Rules[i]
		r.use = &Use{name: r.Name}
		s.Uses = append(s.Uses, r.use)
	}
	for _, re := range s.Rules.Exclude {
		s.Uses = append(s.Uses, &Use{name: "exclude " + re.String()})
	}
	for _, site := range s.Sites {
		base := HrefOf(site.Base())
		s.roots = append(s.roots, root{authority: bareAuthority(base), directory: string(directory(base.Path()))})
	}
	for _, seed := range seeds {
		if !seed.URL.IsZero() {
			s.widen(seed)
		}
	}
	s.CORS = newCORS(s, seeds)
	return s
}

// Widened returns a scope in which the site of a URL that a seed redirects to is internal,
// too.
func (s *Scope) Widened(to urinorm.URL) *Scope {
	next := *s
	next.roots = slices.Clone(s.roots)
	next.widen(Seed{URL: to, Crawl: true})
	return &next
}

// widen makes the seed's site internal.
func (s *Scope) widen(seed Seed) {
	if site := s.Sites.Of(seed.URL); site != nil {
		if seed.Crawl {
			for i := range s.Sites {
				if s.Sites[i] == site {
					s.roots[i].follow = true
				}
			}
		}
		return
	}
	v := HrefOf(seed.URL)
	if !v.Crawlable() || !seed.Crawl {
		return
	}
	r := root{authority: bareAuthority(v), follow: true}
	if !v.IsHTTP() {
		r.scheme = string(v.Scheme())
	}
	switch s.Rules.Rule {
	case Path:
		r.directory = string(directory(v.Path()))
		if r.scheme == "gopher" {
			r.directory = "" // a selector is no path: it begins with a type
		}
	case Domain:
		r.domain = urinorm.RegistrableDomain(string(v.Host()))
	case Page:
		r.page = string(v.Document())
	}
	if !slices.Contains(s.roots, r) {
		s.roots = append(s.roots, r)
	}
}

// holdsHost reports whether a URL is on the root's host, or below its domain.
func (r *root) holdsHost(v Href) bool {
	if r.domain != "" {
		return urinorm.RegistrableDomain(string(v.Host())) == r.domain
	}
	return bareAuthority(v) == r.authority
}

func directory(p []byte) []byte { return p[:bytes.LastIndexByte(p, '/')+1] }

// bareAuthority returns host and port without "www.", which is the same for http and https,
// with and without www.
func bareAuthority(v Href) string {
	return string(bytes.TrimPrefix(v.Authority(), []byte("www.")))
}

// Internal reports whether a URL is on the site of a seed, and whether its pages are read.
func (s *Scope) Internal(v Href) (inside, follow bool) {
	if v.Crawlable() {
		authority := bytes.TrimPrefix(v.Authority(), []byte("www."))
		for i := range s.roots {
			r := &s.roots[i]
			switch {
			case r.scheme != string(v.Scheme()) && (r.scheme != "" || !v.IsHTTP()):
				continue
			case r.domain != "":
				if urinorm.RegistrableDomain(string(v.Host())) != r.domain {
					continue
				}
			case string(authority) != r.authority:
				continue
			case r.page != "" && string(v.Document()) != r.page:
				continue
			case !bytes.HasPrefix(v.Path(), []byte(r.directory)):
				continue
			}
			inside, follow = true, follow || r.follow
		}
	}
	if len(s.Rules.Include) > 0 && !follow && v.IsHTTP() && anyMatch(s.Rules.Include, s.Print.Href(v)) {
		return true, true
	}
	return inside, follow
}

func anyMatch(res []*regexp.Regexp, printed string) bool {
	for _, re := range res {
		if re.MatchString(printed) {
			return true
		}
	}
	return false
}

// Fate is the decision about one URL.
type Fate struct {
	Internal bool
	Wave     frontier.Wave
	Need     frontier.Need
	Outcome  *judging.Outcome // if not nil, the URL is not requested, and this is its outcome
}

// Decide decides about a URL at a depth. Exclusions are matched against the printed URL.
func (s *Scope) Decide(v Href, kind extract.Kind, depth int, nofollow bool) Fate {
	var f Fate
	var follow bool
	f.Internal, follow = s.Internal(v)
	if f.Outcome = s.Excluded(v); f.Outcome != nil {
		return f
	}
	if !f.Internal && s.Rules.External == SkipExternal {
		f.Outcome = LeftOut
		return f
	}
	if s.LeavesAlone(v, f.Internal, false) {
		f.Outcome = signOut()
		return f
	}
	f.Wave = frontier.Leaves
	if kind != extract.Submission {
		f.Need |= frontier.NeedLinked
	}
	if !follow || kind == extract.Resource || kind == extract.Submission || !s.Rules.WithinDepth(depth) {
		return f
	}
	if nofollow || s.Unfollowed(v) || s.Sites.leftOut(v) {
		return f
	}
	f.Need |= frontier.NeedPage
	if IsLeafName(v.Path()) {
		return f
	}
	f.Wave, f.Need = s.Rules.Wave(depth), f.Need|frontier.NeedLinks|frontier.NeedContent
	return f
}

// Unfollowed reports whether NoFollow keeps a page from being read for links. Such a page
// is checked if a link leads to it. A document of a directory without such a link is not
// checked at all.
func (s *Scope) Unfollowed(v Href) bool {
	return len(s.Rules.NoFollow) > 0 && anyMatch(s.Rules.NoFollow, s.Print.Href(v))
}

// Parts of the reasons why Excluded skips a target.
const (
	excludedBy   = "excluded by "
	reservedNote = " is reserved for examples and tests (RFC 2606)"
)

// Excluded returns the outcome of a URL that a rule excludes, or nil.
func (s *Scope) Excluded(v Href) *judging.Outcome {
	if s.Rules.SkipReserved {
		if name := ReservedName(v); name != "" {
			if inside, _ := s.Internal(v); !inside {
				return Skip(check.CodeExcluded, name+reservedNote)
			}
		}
	}
	if len(s.Rules.Exclude) == 0 && len(s.Judging.Rules) == 0 {
		return nil
	}
	printed := s.Print.Href(v)
	for i, re := range s.Rules.Exclude {
		if re.MatchString(printed) {
			s.Uses[len(s.Judging.Rules):].note(i, s.Rules.Exclude, printed)
			if anyMatch(s.Rules.ExcludeExcept, printed) {
				break
			}
			return Skip(check.CodeExcluded, excludedBy+re.String())
		}
	}
	if rule := s.Judging.MatchingRule(printed); rule != nil && rule.Verdict == "ignore" {
		return Skip(check.CodeExcluded, excludedBy+rule.Name)
	}
	return nil
}

// Skip returns the outcome of a target that is not requested, with the reason as message.
func Skip(code check.Code, message string) *judging.Outcome {
	o := judging.Skip(code, message)
	return &o
}

// LeftOut is the outcome of every external target with SkipExternal, and LeftOutBytes is
// its encoded form. There are many such targets, so they share one value.
var (
	LeftOut      = Skip(check.CodeExternal, "external links are not checked")
	LeftOutBytes = judging.AppendOutcome(nil, LeftOut)
)

// Compares reports whether a target is compared with a made-up one. A home page never
// is: sites show it for anything they don't have, and a link to it is correct.
func (s *Settings) Compares(u urinorm.URL) bool {
	if !s.Judging.SoftNotFound || u.Scheme() != "http" && u.Scheme() != "https" || judging.IsHomePath(u.Path()) {
		return false
	}
	return !IsLeafName([]byte(u.Path())) && s.Sites.Of(u) == nil
}

// JudgesContent reports whether the content of a target is judged, whatever else is needed of it:
// it is compared with a made-up one or with an earlier state, or it may be the page of a parked
// domain.
func (s *Settings) JudgesContent(u urinorm.URL, internal bool) bool {
	isWeb := u.Scheme() == "http" || u.Scheme() == "https"
	return s.Compares(u) || (s.Judging.SoftNotFound || s.Judging.Drift != nil) && !internal && isWeb && !IsLeafName([]byte(u.Path()))
}

// Wave returns the wave in which a page at a depth is read. The order matters only if Depth
// is a limit.
func (r *Rules) Wave(depth int) frontier.Wave {
	if !r.LimitsDepth() {
		return frontier.Pages
	}
	return min(frontier.Wave(min(depth, 255)), frontier.LastPages)
}

// RuleFor returns the rule that applies to a printed target, or nil. That is the first rule
// that matches the target or, except for a rule that ignores what it matches, the document
// without the fragment.
func (j *Judging) RuleFor(printed string) *Rule {
	document, _, place := strings.Cut(printed, "#")
	for i := range j.Rules {
		r := &j.Rules[i]
		if r.Match(printed) || place && r.Verdict != "ignore" && r.Match(document) {
			return r
		}
	}
	return nil
}

// MatchingRule is RuleFor, and records that the rule matched something.
func (j *Judging) MatchingRule(printed string) *Rule {
	r := j.RuleFor(printed)
	if r != nil {
		r.use.matched()
	}
	return r
}

// leafNames are extensions of files without links that are read. A link to such a file is
// requested with HEAD. If the answer is a page after all, it is read as one.
var leafNames = map[string]bool{
	"7z": true, "apk": true, "avi": true, "avif": true, "bin": true, "bmp": true, "bz2": true, "deb": true,
	"dmg": true, "exe": true, "flac": true, "gif": true, "gz": true, "ico": true, "iso": true, "jar": true,
	"jpeg": true, "jpg": true, "js": true, "m4a": true, "mjs": true, "mkv": true, "mov": true, "mp3": true, "mp4": true,
	"mpg": true, "msi": true, "ogg": true, "ogv": true, "otf": true, "png": true, "rar": true, "rpm": true,
	"tar": true, "tgz": true, "tif": true, "tiff": true, "ttf": true, "wasm": true, "wav": true, "webm": true,
	"webp": true, "woff": true, "woff2": true, "xz": true, "zip": true, "zst": true,
}

// longestLeafName is the length of the longest leaf name.
const longestLeafName = len("woff2")

// IsLeafName reports whether the extension of a path is that of a file without links.
func IsLeafName(p []byte) bool {
	dot := bytes.LastIndexByte(p[max(0, len(p)-longestLeafName-1):], '.')
	if dot < 0 {
		return false
	}
	dot += max(0, len(p)-longestLeafName-1)
	var lower [longestLeafName]byte
	extension := lower[:copy(lower[:], p[dot+1:])]
	if string(extension) == "html" || string(extension) == "htm" {
		return false
	}
	for i, c := range extension {
		if 'A' <= c && c <= 'Z' {
			extension[i] = c | 0x20
		}
	}
	if !leafNames[string(extension)] {
		return false
	}
	const sitemap = ".xml" // sitemap.xml.gz
	return dot < len(sitemap) || !bytes.EqualFold(p[dot-len(sitemap):dot], []byte(sitemap))
}

// Reaches reports whether the pages of a URL's host may be read for links.
func (s *Scope) Reaches(v Href) bool {
	for i := range s.roots {
		if r := &s.roots[i]; r.follow && r.holdsHost(v) {
			return true
		}
	}
	return false
}
