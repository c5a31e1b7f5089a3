package crawler

import (
	"bytes"
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// hostOf takes the port off an authority.
func hostOf(authority string) string {
	if h, _, err := net.SplitHostPort(authority); err == nil && !strings.HasSuffix(authority, "]") {
		return strings.Trim(h, "[]")
	}
	return strings.Trim(authority, "[]")
}

// asksRobots reports whether robots.txt has a say in a visit: for pages that are
// crawled, in strict mode for every request; never for directories, and for
// loopback hosts only when that was asked for. The page a user starts from is like
// a browser's click: it is read unless robots.txt was asked for by name.
func (r *run) asksRobots(t *frontier.Target, u urinorm.URL) bool {
	if r.cfg.Robots == RobotsIgnore || r.cfg.Robots == RobotsCrawl && (!t.Follow || t.Seed && !r.cfg.RobotsGiven) {
		return false
	}
	return r.robotsApply(u)
}

func (r *run) robotsApply(u urinorm.URL) bool {
	if s := u.Scheme(); s != "http" && s != "https" {
		return false
	}
	return r.scope().SiteOf(u) == nil && (r.cfg.RobotsGiven || !urinorm.IsLoopback(u.Host()))
}

// obeysNoFollow reports whether a page's nofollow marks count: where its host's
// robots.txt would.
func (r *run) obeysNoFollow(page rules.Href) bool {
	if r.cfg.Robots == RobotsIgnore || !page.IsHTTP() {
		return false
	}
	return r.robotsApply(rules.URLOf(page))
}

// entrusts reports whether what was given for the internal hosts goes along to an
// Internal URL.
func (r *run) entrusts(u urinorm.URL, internal bool) bool {
	return internal && r.scope().Named(rules.HrefOf(u))
}

// askRobots fetches a robots.txt; redirects are the cache's affair.
func (w *worker) askRobots(ctx context.Context, u urinorm.URL) (*fetch.Response, error) {
	inside, _ := w.scope().Internal(rules.HrefOf(u))
	resp, err := w.cfg.Fetch.Fetch(ctx, &fetch.Request{URL: u, Need: fetch.Content, Internal: w.entrusts(u, inside)})
	if resp != nil {
		w.count(countRequests, resp.Requests)
	}
	return resp, err
}

// otherScheme decides about what is neither http nor https.
func (r *run) otherScheme(v rules.Href, f *findings, kind extract.Kind) rules.Fate {
	if fate := r.scope().Excluded(v); fate != nil {
		return rules.Fate{Outcome: fate, Internal: string(v.Scheme()) == "file"}
	}
	switch string(v.Scheme()) {
	case "file":
		return r.localFile(v, f)
	case "mailto":
		if o := check.UncheckedScheme(string(v.Bytes)); o.Code != check.CodeOK {
			return rules.Fate{Outcome: &o}
		}
		if r.cfg.External == SkipExternal {
			return rules.Fate{Outcome: rules.LeftOut}
		}
		return rules.Fate{Wave: frontier.Leaves, Need: frontier.NeedLinked}
	}
	o := check.UncheckedScheme(string(v.Bytes))
	if o.Code != check.CodeSchemeUnchecked || !r.fetches(string(v.Scheme())) {
		return rules.Fate{Outcome: &o}
	}
	return r.scope().Decide(v, kind, f.depth+1, f.nofollow)
}

// fetches reports whether somebody asks for a scheme.
func (r *run) fetches(scheme string) bool {
	m, ok := r.cfg.Fetch.(interface{ Has(scheme string) bool })
	return ok && m.Has(scheme)
}

// localFile decides about a file: URL. Only a local document may name one, and a
// Document of a directory only what lies in that directory.
func (r *run) localFile(v rules.Href, f *findings) rules.Fate {
	if !f.local {
		return rules.Fate{Internal: true, Outcome: rules.Skip(check.CodeFileFromWeb, "a page from the network links to a file of the reader's own machine")}
	}
	site := r.scope().SiteOf(rules.URLOf(f.page))
	if site == nil {
		return rules.Fate{Internal: true, Wave: frontier.Leaves, Need: frontier.NeedLinked}
	}
	name, err := disk.FilePath(rules.URLOf(v))
	elsewhere := errors.Is(err, disk.ErrNoDrive)
	if err != nil && !elsewhere {
		return rules.Fate{Internal: true, Outcome: rules.Skip(check.CodeURIInvalid, err.Error())}
	}
	if r.scope().Crawled(site) && (elsewhere || !rules.IsWithin(name, site)) {
		return rules.Fate{Internal: true, Outcome: rules.Skip(check.CodeFileOutsideRoot, "the file is outside "+r.print.Path(site.Dir()))}
	}
	return rules.Fate{Internal: true, Wave: frontier.Leaves, Need: frontier.NeedLinked}
}

// isSeed reports whether a document is one of the seeds.
func (r *run) isSeed(u urinorm.URL) bool {
	_, ok := r.seeded[u.String()]
	return ok
}

// readAfterAll asks for a target once more, as a page: its name said that it
// holds no links, its answer that it does.
func (f *findings) readAfterAll(t *frontier.Target) {
	u := f.page
	f.key = urinorm.AppendKey(f.key[:0], u.Bytes, u.Offsets)
	f.enter(f.run.frontier.Fingerprint(f.key), u, frontier.Job{URL: u.Document(), Internal: t.Internal, Page: true, Depth: t.Depth},
		rules.Fate{Need: frontier.NeedLinks | frontier.NeedContent | frontier.NeedLinked, Wave: f.run.scope().Wave(t.Depth)})
}

// isPage reports whether an answer is a document that holds links.
func isPage(o *check.Outcome) bool {
	return o.ContentType == "text/html" || o.ContentType == "application/xhtml+xml"
}

// ruleOf returns the user's rule for a URL that is about to be asked.
func (r *run) ruleOf(u urinorm.URL) *Rule {
	if len(r.cfg.Rules) == 0 {
		return nil
	}
	return r.cfg.MatchingRule(r.print.URL(u))
}

// aliased leads a URL that lies in the folder of a single document, and also in a
// directory that is checked as a site, to that site: "orbweaver README.md docs"
// knows each document by one name.
func (r *run) aliased(v rules.Href, buf *[]byte) rules.Href {
	for i := range r.aliases {
		a := &r.aliases[i]
		if !bytes.HasPrefix(v.Bytes, []byte(a.from)) {
			continue
		}
		u, _, err := urinorm.ParseWeb(a.to + string(v.Bytes[len(a.from):]))
		if err != nil {
			return v
		}
		*buf = append((*buf)[:0], u.String()...)
		return rules.Href{Bytes: *buf, Offsets: u.Offsets()}
	}
	return v
}

// alias is a directory that two sites hold.
type alias struct{ from, to string }

func (r *run) findAliases() []alias {
	var found []alias
	for _, inner := range r.cfg.Sites {
		if !r.scope().Crawled(inner) {
			continue
		}
		for _, outer := range r.cfg.Sites {
			if r.scope().Crawled(outer) || !outer.Synthetic() {
				continue
			}
			rel, err := filepath.Rel(outer.Dir(), inner.Dir())
			if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				continue
			}
			if from, err := outer.URLOf(filepath.ToSlash(rel)); err == nil {
				found = append(found, alias{strings.TrimSuffix(from.String(), "/") + "/", inner.Base().String()})
			}
		}
	}
	return found
}
