package references

import (
	"bytes"
	"errors"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// decision is the decision about the target of a link.
type decision struct {
	href scope.Href // the URL to request; for a preconnect link, its host
	fate scope.Fate
	mark uint64 // of the reference
}

// decide decides about a link's target, regardless of the fragment.
func (r *referrer) decide(t target, l *extract.Link) decision {
	d := decision{href: t.href}
	v := t.href
	skip := ""
	switch {
	case l.Ignored || t.aboveRoot:
		skip = r.skipReason(l, t.aboveRoot)
	case d.signsOut(r, l):
		skip = scope.SignOutReason
		d.fate.Need |= frontier.NeedLeft
		r.scope.LeaveAlone(v)
	}
	switch {
	case skip != "":
		d.fate.Outcome = scope.Skip(check.CodeExcluded, skip)
		d.fate.Internal = r.isInternal(v)
		d.mark |= scope.MarkAside | ignoredMark(l)
	case l.Kind == extract.Host:
		d.mark |= scope.MarkAside
		// Such a host is never visited. Its name is a target by itself, which must
		// resolve, unless it is a directory's synthetic host.
		if host, ok := fetch.HostURL(scope.URLOf(v)); ok && slices.Contains(r.scope.Schemes, host.Scheme()) && !r.scope.Sites.Synthetic(v) {
			d.href = scope.HrefOf(host)
			d.fate = r.otherScheme(d.href, l.Kind, r.depth)
			break
		}
		d.fate.Outcome = scope.Skip(check.CodeSchemeUnchecked, "a hint for later requests; it is not requested")
		d.fate.Internal = r.isInternal(v)
	case v.IsHTTP():
		d.fate = r.scope.Decide(v, l.Kind, r.depth, r.source.NoFollow || l.NoFollow && r.scope.ObeysNoFollow(r.url))
		if d.fate.Outcome != nil && d.fate.Outcome.Code == check.CodeExcluded {
			d.mark |= scope.MarkExcluded
		}
		if r.mixed(v, l) {
			d.mark |= scope.MarkMixed
		}
		if r.scope.Sites.OutsideBase(v) {
			d.mark |= scope.MarkOutsideBase
		}
	case t.outside != nil:
		d.fate = t.outside.fate
	default:
		d.fate = r.otherScheme(v, l.Kind, r.depth)
	}
	if l.Kind == extract.Submission {
		d.mark |= scope.MarkForm
	}
	if r.scope.Judging.Inspector != nil && (l.Element == "link" || l.Element == "header" || l.Kind == extract.Metadata) {
		d.mark |= scope.MarkUnseen
	}
	if d.fate.Outcome != nil && d.mark&scope.MarkAside == 0 {
		d.fate.Need |= frontier.NeedLinked // this outcome stands even if other links only mention the target
	}
	if r.scope.Rules.Changed != nil {
		r.narrow(&d)
	}
	return d
}

// signsOut reports whether a link is left alone because it says that it signs out or deletes something.
// A link to its own page does that with a script, and so does one to a view, which matters only if
// views are opened.
func (d *decision) signsOut(r *referrer, l *extract.Link) bool {
	v, acts := d.href, l.Acts
	if route, view := v.Route(); view {
		acts = r.routes && (acts || scope.RouteSignsOut(route))
	} else if bytes.Equal(v.Document(), r.url.Document()) {
		acts = false
	}
	return acts && v.IsHTTP() && r.scope.LeavesAlone(v, r.isInternal(v), true)
}

// narrow skips what has not changed (Config.Changed). Such a run still reads every
// document, to find the links to pages that were removed and to headings that a changed
// page no longer has. But it sends no request over the network for a link on an unchanged
// page, unless a changed page has the same link.
func (r *referrer) narrow(d *decision) {
	switch {
	case !r.source.Unchanged:
		d.mark |= scope.MarkChanged
	case d.fate.Outcome == nil && r.scope.Sites.Of(scope.URLOf(d.href)) == nil && string(d.href.Scheme()) != "file":
		d.fate.Outcome = scope.Skip(check.CodeExcluded, scope.UnchangedNote)
	}
}

// Reasons to skip a link.
const (
	templateReason = "a template fills in its target"
	buildReason    = "files outside the directory that are built into a page are not checked"
)

// ignoredMark returns the mark of a link that an inline mark excludes, or 0.
func ignoredMark(l *extract.Link) uint64 {
	if l.Ignored {
		return scope.MarkIgnored
	}
	return 0
}

// skipReason returns the reason to skip a link, or "" if it is checked.
func (r *referrer) skipReason(l *extract.Link, aboveRoot bool) string {
	switch {
	case l.Ignored:
		return scope.IgnoredInline
	case aboveRoot && r.source.Local && l.Kind == extract.Resource && (builtFormats[r.doc.Format] || l.Module):
		return buildReason
	}
	return ""
}

// builtFormats are the formats whose images and includes are files that a program reads
// when it builds a page from the document. They may be in any directory.
var builtFormats = map[string]bool{"restructuredtext": true, "asciidoc": true, "org": true}

// mixed reports whether a page that is served over https loads a link's target without
// encryption.
func (r *referrer) mixed(v scope.Href, l *extract.Link) bool {
	if !r.isSecure() || len(v.Scheme()) != len("http") || r.scope.Sites.Synthetic(r.url) {
		return false
	}
	_, mixed := judging.MixedContentWarning(scope.URLOf(r.url), scope.URLOf(v), l)
	return mixed
}

// isSecure reports whether the page has an https URL.
func (r *referrer) isSecure() bool { return string(r.url.Scheme()) == "https" }

// isInternal reports whether a target that is not requested is internal. The rules are
// those for a requested target.
func (r *referrer) isInternal(v scope.Href) bool {
	inside, _ := r.scope.Internal(v)
	return inside || string(v.Scheme()) == "file"
}

// otherScheme decides about a target of the page that is neither http nor https. The depth
// is that of the target.
func (r *referrer) otherScheme(v scope.Href, kind extract.Kind, depth int) scope.Fate {
	if outcome := r.scope.Excluded(v); outcome != nil {
		return scope.Fate{Outcome: outcome, Internal: string(v.Scheme()) == "file"}
	}
	switch string(v.Scheme()) {
	case "file":
		return r.localFile(v)
	case "mailto":
		if o := judging.UncheckedScheme(string(v.Bytes)); o.Code != check.CodeOK {
			return scope.Fate{Outcome: &o}
		}
		if r.scope.Judging.SkipMail {
			return scope.Fate{Outcome: scope.Skip(check.CodeSchemeUnchecked, "only the syntax of mailto: addresses is checked, and it is valid")}
		}
		if r.scope.Rules.External == scope.SkipExternal {
			return scope.Fate{Outcome: scope.LeftOut}
		}
		return scope.Fate{Wave: frontier.Leaves, Need: frontier.NeedLinked}
	}
	o := judging.UncheckedScheme(string(v.Bytes))
	if o.Code != check.CodeSchemeUnchecked || !slices.Contains(r.scope.Schemes, string(v.Scheme())) {
		return scope.Fate{Outcome: &o}
	}
	return r.scope.Decide(v, kind, depth, r.source.NoFollow)
}

// localFile decides about a file: URL. Only a local document may link to one, and a
// document of a directory may only link to files in that directory. Files on other hosts
// are not opened.
func (r *referrer) localFile(v scope.Href) scope.Fate {
	if !r.source.Local {
		return scope.Fate{Internal: true, Outcome: scope.Skip(check.CodeFileFromWeb, "a page from the network links to a file on the reader's machine")}
	}
	requested := scope.Fate{Internal: true, Wave: frontier.Leaves, Need: frontier.NeedLinked}
	site := r.scope.Sites.Of(scope.URLOf(r.url))
	if site == nil {
		return requested
	}
	name, err := disk.FilePath(scope.URLOf(v))
	if errors.Is(err, disk.ErrOtherHost) { // a valid URL (RFC 8089 section 2), but nothing on this machine answers it
		return scope.Fate{Outcome: scope.Skip(check.CodeSchemeUnchecked, err.Error())}
	}
	elsewhere := errors.Is(err, disk.ErrNoDrive)
	if err != nil && !elsewhere {
		return scope.Fate{Internal: true, Outcome: scope.Skip(check.CodeURIInvalid, err.Error())}
	}
	if !r.scope.Crawled(site) {
		return requested
	}
	if site.Around != nil {
		site = site.Around.Site
	}
	if elsewhere || !scope.IsWithin(name, site) {
		return scope.Fate{Internal: true, Outcome: scope.Skip(check.CodeFileOutsideRoot, "the file is outside "+r.scope.Print.Path(site.Dir()))}
	}
	return requested
}
