package references

import (
	"errors"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// decision is what becomes of the target of a link.
type decision struct {
	href rules.Href // what is to be asked; of a preconnect link its host
	fate rules.Fate
	mark uint64 // of the reference
}

// decide says what becomes of a link's target, whatever its fragment.
func (r *resolver) decide(t target, l *extract.Link) decision {
	d := decision{href: t.href}
	v := t.href
	why := ""
	if l.Ignored || t.above {
		why = r.leftAside(l, t.above)
	}
	switch {
	case why != "":
		d.fate.Outcome = rules.Skip(check.CodeExcluded, why)
		d.fate.Internal = r.within(v)
		d.mark |= rules.MarkAside
	case l.Kind == extract.Host:
		d.mark |= rules.MarkAside
		// Such a host is never visited. Whether it resolves is a target of its own, but
		// for one that was made up for a directory.
		if named, ok := fetch.HostURL(rules.URLOf(v)); ok && r.Config.Fetches(named.Scheme()) && !r.scope.Synthetic(v) {
			d.href = rules.HrefOf(named)
			d.fate = r.OtherScheme(d.href, l.Kind)
			break
		}
		d.fate.Outcome = rules.Skip(check.CodeSchemeUnchecked, "named for later ("+l.Attribute+"), not fetched")
		d.fate.Internal = r.within(v)
	case v.IsHTTP():
		d.fate = r.scope.Decide(v, l.Kind, r.depth+1, r.NoFollow || l.NoFollow && r.scope.ObeysNoFollow(r.page))
		if d.fate.Outcome != nil && d.fate.Outcome.Code == check.CodeExcluded {
			d.mark |= rules.MarkExcluded
		}
		if r.mixed(v, l) {
			d.mark |= rules.MarkMixed
		}
		if r.scope.OutsideBase(v) {
			d.mark |= rules.MarkOutsideBase
		}
	case t.outside != nil:
		d.fate = t.outside.fate
	default:
		d.fate = r.OtherScheme(v, l.Kind)
	}
	if l.Kind == extract.Submission {
		d.mark |= rules.MarkForm
	}
	if d.fate.Outcome != nil && d.mark&rules.MarkAside == 0 {
		d.fate.Need |= frontier.NeedLinked // what it says counts, whoever names the target besides
	}
	if r.Config.Changed != nil {
		r.narrow(&d)
	}
	return d
}

// narrow leaves out what has not changed (Config.Changed). Such a run reads every document
// all the same: only so is it known who links to a page that was removed, or to a heading
// that a changed page no longer has. It spares the network: from an unchanged page nothing
// is asked there. A changed page with the same link asks all the same.
func (r *resolver) narrow(d *decision) {
	switch {
	case !r.Unchanged:
		d.mark |= rules.MarkChanged
	case d.fate.Outcome == nil && r.scope.SiteOf(rules.URLOf(d.href)) == nil && string(d.href.Scheme()) != "file":
		d.fate.Outcome = rules.Skip(check.CodeExcluded, rules.UnchangedNote)
	}
}

// Why a link is left aside.
const (
	forTemplate = "a template fills in what it leads to"
	forBuilding = "what is built into a page from outside the directory is not looked at"
)

// leftAside says why a link is not to be looked at, "" if it is.
func (r *resolver) leftAside(l *extract.Link, above bool) string {
	switch {
	case l.Ignored:
		return rules.IgnoredInline
	case above && r.Local && l.Kind == extract.Resource && builds[r.doc.Format]:
		return forBuilding
	}
	return ""
}

// builds are the formats whose images and parts are files that a program reads when it
// makes a page of the document, from wherever they are.
var builds = map[string]bool{"restructuredtext": true, "asciidoc": true, "org": true}

// mixed reports whether a page that is served over https loads a link's target without
// encryption.
func (r *resolver) mixed(v rules.Href, l *extract.Link) bool {
	if len(r.page.Scheme()) != len("https") || len(v.Scheme()) != len("http") || r.scope.Synthetic(r.page) {
		return false
	}
	_, mixed := check.MixedContentWarning(rules.URLOf(r.page), rules.URLOf(v), l)
	return mixed
}

// within reports whether a target is internal that is only named: as where a link leads
// there.
func (r *resolver) within(v rules.Href) bool {
	inside, _ := r.scope.Internal(v)
	return inside || string(v.Scheme()) == "file"
}

// OtherScheme decides about a target of the page that is neither http nor https.
func (r *resolver) OtherScheme(v rules.Href, kind extract.Kind) rules.Fate {
	if outcome := r.scope.Excluded(v); outcome != nil {
		return rules.Fate{Outcome: outcome, Internal: string(v.Scheme()) == "file"}
	}
	switch string(v.Scheme()) {
	case "file":
		return r.localFile(v)
	case "mailto":
		if o := check.UncheckedScheme(string(v.Bytes)); o.Code != check.CodeOK {
			return rules.Fate{Outcome: &o}
		}
		if r.Config.External == rules.SkipExternal {
			return rules.Fate{Outcome: rules.LeftOut}
		}
		return rules.Fate{Wave: frontier.Leaves, Need: frontier.NeedLinked}
	}
	o := check.UncheckedScheme(string(v.Bytes))
	if o.Code != check.CodeSchemeUnchecked || !r.Config.Fetches(string(v.Scheme())) {
		return rules.Fate{Outcome: &o}
	}
	return r.scope.Decide(v, kind, r.depth+1, r.NoFollow)
}

// localFile decides about a file: URL. Only a local document may name one, and a document
// of a directory only what lies in that directory.
func (r *resolver) localFile(v rules.Href) rules.Fate {
	if !r.Local {
		return rules.Fate{Internal: true, Outcome: rules.Skip(check.CodeFileFromWeb, "a page from the network links to a file of the reader's own machine")}
	}
	asked := rules.Fate{Internal: true, Wave: frontier.Leaves, Need: frontier.NeedLinked}
	site := r.scope.SiteOf(rules.URLOf(r.page))
	if site == nil {
		return asked
	}
	name, err := disk.FilePath(rules.URLOf(v))
	elsewhere := errors.Is(err, disk.ErrNoDrive)
	if err != nil && !elsewhere {
		return rules.Fate{Internal: true, Outcome: rules.Skip(check.CodeURIInvalid, err.Error())}
	}
	if r.scope.Crawled(site) && (elsewhere || !rules.IsWithin(name, site)) {
		return rules.Fate{Internal: true, Outcome: rules.Skip(check.CodeFileOutsideRoot, "the file is outside "+r.Print.Path(site.Dir()))}
	}
	return asked
}
