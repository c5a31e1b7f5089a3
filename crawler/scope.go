package crawler

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// ScopeRule says how far from a seed its site reaches.
type ScopeRule uint8

const (
	// ScopePath is the seed's host, under the seed's directory.
	ScopePath ScopeRule = iota
	// ScopeHost is the whole host.
	ScopeHost
	// ScopeDomain is every host of the same registrable domain.
	ScopeDomain
	// ScopePage is the seed alone.
	ScopePage
)

// view is a resolved URL that has not become a string: the bytes of the href and
// where its parts lie.
type view struct {
	href []byte
	at   urinorm.Offsets
}

func viewOf(u urinorm.URL) view { return view{[]byte(u.String()), u.Offsets()} }

func (v view) scheme() []byte    { return v.href[:v.at.SchemeEnd] }
func (v view) host() []byte      { return v.href[v.at.HostStart:v.at.HostEnd] }
func (v view) authority() []byte { return v.href[v.at.HostStart:v.authorityEnd()] }
func (v view) path() []byte      { return v.href[v.at.PathStart:v.at.QueryStart] }
func (v view) document() []byte  { return v.href[:v.at.FragmentStart] }

// authorityEnd is the end of host and port.
func (v view) authorityEnd() int32 {
	if !v.at.HasAuthority {
		return v.at.HostEnd
	}
	return v.at.PathStart
}

// fragment returns what stands behind '#', and whether there is one.
func (v view) fragment() ([]byte, bool) {
	if int(v.at.FragmentStart) >= len(v.href) {
		return nil, false
	}
	return v.href[v.at.FragmentStart+1:], true
}

func (v view) http() bool {
	s := v.scheme()
	return len(s) >= 4 && s[0] == 'h' && (string(s) == "http" || string(s) == "https")
}

// crawlable reports whether a scheme has pages that lead to others: the web's, FTP
// directories and gopher menus.
func (v view) crawlable() bool {
	if v.http() {
		return true
	}
	switch string(v.scheme()) {
	case "ftp", "ftps", "gopher":
		return true
	}
	return false
}

// root is one place where pages are internal.
type root struct {
	scheme    string // "" for http and https, which are one site
	authority string // without "www.", with a port that is not the scheme's own
	domain    string // with ScopeDomain: the registrable domain
	directory string // with ScopePath: what the path begins with
	page      string // with ScopePage: the one URL
	follow    bool   // its pages are read; those beside a single file are only checked
	found     bool   // a start page led here; the user has not named it
}

// Scope decides for each URL whether it is followed, only checked, or left alone.
// It holds no state but its rules, so that a URL's fate does not hang on who
// found it first.
type Scope struct {
	cfg   *Config
	roots []root
	print *printer
	sites []*fetch.Site
}

func newScope(cfg *Config, seeds []Seed, p *printer) *Scope {
	s := &Scope{cfg: cfg, print: p, sites: cfg.Sites}
	for _, site := range cfg.Sites {
		base := viewOf(site.Base())
		s.roots = append(s.roots, root{authority: bareAuthority(base), directory: string(directory(base.path()))})
	}
	for _, seed := range seeds {
		if !seed.URL.IsZero() {
			s.widen(seed, false)
		}
	}
	return s
}

// widen makes the seed's site internal. found says that a redirect named it.
func (s *Scope) widen(seed Seed, found bool) {
	if site := s.siteOf(seed.URL); site != nil {
		if seed.Crawl {
			for i := range s.sites {
				if s.sites[i] == site {
					s.roots[i].follow = true
				}
			}
		}
		return
	}
	v := viewOf(seed.URL)
	if !v.crawlable() || !seed.Crawl {
		return
	}
	r := root{authority: bareAuthority(v), follow: true}
	if !v.http() {
		r.scheme = string(v.scheme())
	}
	switch s.cfg.Scope {
	case ScopePath:
		r.directory = string(directory(v.path()))
		if r.scheme == "gopher" {
			r.directory = "" // a selector is no path: it begins with a type
		}
	case ScopeDomain:
		r.domain = urinorm.RegistrableDomain(string(v.host()))
	case ScopePage:
		r.page = string(v.document())
	}
	for _, known := range s.roots {
		known.found = false
		if known == r {
			return
		}
	}
	r.found = found
	s.roots = append(s.roots, r)
}

// named reports whether the user has named a URL's host, so that what was given for
// the internal hosts may go there. A host that a start page was redirected to is
// internal all the same, but another one.
func (s *Scope) named(v view) bool {
	found := false
	for i := range s.roots {
		if r := &s.roots[i]; r.holdsHost(v) {
			if !r.found {
				return true
			}
			found = true
		}
	}
	return !found || len(s.cfg.Include) > 0 && v.http() && anyMatch(s.cfg.Include, s.print.view(v))
}

// holdsHost reports whether a URL is on the root's host, or below its domain.
func (r *root) holdsHost(v view) bool {
	if r.domain != "" {
		return urinorm.RegistrableDomain(string(v.host())) == r.domain
	}
	return bareAuthority(v) == r.authority
}

// siteOf returns the directory that answers for a URL.
func (s *Scope) siteOf(u urinorm.URL) *fetch.Site {
	for _, site := range s.sites {
		if site.Holds(u) {
			return site
		}
	}
	return nil
}

func directory(p []byte) []byte { return p[:bytes.LastIndexByte(p, '/')+1] }

// bareAuthority is host and port with "www." taken off: what http and https, with
// and without www, of one site share.
func bareAuthority(v view) string {
	return string(bytes.TrimPrefix(v.authority(), []byte("www.")))
}

// internal reports whether a URL lies on one of the seeds' sites, and whether its pages are read.
func (s *Scope) internal(v view) (inside, follow bool) {
	if v.crawlable() {
		authority := bytes.TrimPrefix(v.authority(), []byte("www."))
		for i := range s.roots {
			r := &s.roots[i]
			switch {
			case r.scheme != string(v.scheme()) && (r.scheme != "" || !v.http()):
				continue
			case r.domain != "":
				if urinorm.RegistrableDomain(string(v.host())) != r.domain {
					continue
				}
			case string(authority) != r.authority:
				continue
			case r.page != "" && string(v.document()) != r.page:
				continue
			case !bytes.HasPrefix(v.path(), []byte(r.directory)):
				continue
			}
			inside, follow = true, follow || r.follow
		}
	}
	if len(s.cfg.Include) > 0 && !follow && v.http() && anyMatch(s.cfg.Include, s.print.view(v)) {
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

// Fate is what is decided for one URL.
type Fate struct {
	Internal bool
	Wave     frontier.Wave
	Need     frontier.Need
	Page     bool           // should it turn out to be a page, it is to be read
	Outcome  *check.Outcome // not visited: this is what there is to say
}

// Decide says what becomes of a URL found at the given depth. Exclusion is judged
// on the URL as it is printed.
func (s *Scope) Decide(v view, kind extract.Kind, depth int, nofollow bool) Fate {
	var f Fate
	var follow bool
	f.Internal, follow = s.internal(v)
	if f.Outcome = s.excluded(v); f.Outcome != nil {
		return f
	}
	if !f.Internal && s.cfg.External == SkipExternal {
		f.Outcome = leftOut
		return f
	}
	if f.Internal && s.cfg.Credentials && signsOut(v) {
		f.Outcome = signOut()
		return f
	}
	f.Wave = frontier.Leaves
	if kind != extract.Submission {
		f.Need |= frontier.NeedLinked
	}
	if !follow || kind == extract.Resource || kind == extract.Submission || s.cfg.Depth >= 0 && depth > s.cfg.Depth {
		return f
	}
	if nofollow || s.notFollowed(v) {
		return f
	}
	f.Page = true
	if leafByName(v.path()) {
		return f
	}
	f.Wave, f.Need = s.wave(depth), f.Need|frontier.NeedLinks|frontier.NeedContent
	return f
}

// notFollowed reports whether a page is not read for links: where a link leads to
// it, it is checked as a leaf is; a document of a directory is not looked at
// without one.
func (s *Scope) notFollowed(v view) bool {
	return len(s.cfg.NoFollow) > 0 && anyMatch(s.cfg.NoFollow, s.print.view(v))
}

// excluded is the outcome of a URL that a rule says not to check, or nil.
func (s *Scope) excluded(v view) *check.Outcome {
	if len(s.cfg.Exclude) == 0 && len(s.cfg.Rules) == 0 {
		return nil
	}
	printed := s.print.view(v)
	for i, re := range s.cfg.Exclude {
		if re.MatchString(printed) {
			s.cfg.noteExclusions(i, printed)
			return skip(check.CodeExcluded, "excluded by "+re.String())
		}
	}
	if rule := s.cfg.rule(printed); rule != nil && rule.Verdict == "ignore" {
		return skip(check.CodeExcluded, "excluded by "+rule.Name)
	}
	return nil
}

// skip is the outcome of a target that is not asked.
func skip(code check.Code, message string) *check.Outcome {
	o := check.Skip(code, message)
	return &o
}

// leftOut is the outcome of every target beyond the site with SkipExternal, and
// leftOutBytes its stored form: such links are many, and nothing else is said of them.
var (
	leftOut      = skip(check.CodeExternal, "external links are not checked")
	leftOutBytes = check.AppendOutcome(nil, leftOut)
)

// wave is the wave of a page at a depth. Only a depth limit makes the order matter.
func (s *Scope) wave(depth int) frontier.Wave {
	if s.cfg.Depth < 0 {
		return frontier.Pages
	}
	return min(frontier.Wave(min(depth, 255)), frontier.LastPages)
}

// RuleFor returns the rule that counts for a target as it is printed, nil for none:
// the first one that matches it or, unless that is to leave it out, the document on which
// it is a place.
func (c *Config) RuleFor(printed string) *Rule {
	document, _, place := strings.Cut(printed, "#")
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.Match(printed) || place && r.Verdict != "ignore" && r.Match(document) {
			return r
		}
	}
	return nil
}

// rule is RuleFor, and notes that the rule matched something.
func (c *Config) rule(printed string) *Rule {
	r := c.RuleFor(printed)
	if r != nil {
		r.use.matched()
	}
	return r
}

// noteExclusions notes that the exclusion at i matched, and which of those behind it
// do so too: they are not out of date for matching what another one does.
func (c *Config) noteExclusions(i int, printed string) {
	c.excludeUses[i].matched()
	for i++; i < len(c.Exclude); i++ {
		if u := c.excludeUses[i]; !u.hit.Load() && c.Exclude[i].MatchString(printed) {
			u.matched()
		}
	}
}

// leafNames are extensions of files that hold no links we read: a link to one is
// asked with HEAD. Should the answer be a page all the same, it is read as one.
var leafNames = map[string]bool{
	"7z": true, "apk": true, "avi": true, "avif": true, "bin": true, "bmp": true, "bz2": true, "deb": true,
	"dmg": true, "exe": true, "flac": true, "gif": true, "gz": true, "ico": true, "iso": true, "jar": true,
	"jpeg": true, "jpg": true, "js": true, "m4a": true, "mjs": true, "mkv": true, "mov": true, "mp3": true, "mp4": true,
	"mpg": true, "msi": true, "ogg": true, "ogv": true, "otf": true, "png": true, "rar": true, "rpm": true,
	"tar": true, "tgz": true, "tif": true, "tiff": true, "ttf": true, "wasm": true, "wav": true, "webm": true,
	"webp": true, "woff": true, "woff2": true, "xz": true, "zip": true, "zst": true,
}

// longestLeafName is the length of the longest of them.
const longestLeafName = len("woff2")

func leafByName(p []byte) bool {
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
