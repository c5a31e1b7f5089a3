package urinorm

import (
	"net/url"
	"strings"
)

// Retarget returns a reference to the target to that can replace ref, a reference
// to the target from. It has the form of ref and differs from it as little as
// possible: an absolute reference remains absolute, one that begins with "//", "/",
// "./" or "../" keeps that prefix, and so does a query or a fragment alone. The
// components and path segments that both targets share keep their spelling in ref.
//
// from and to are both URLs in the form of [URL.Printed], or both paths relative to
// the same directory, percent-encoded, with query and fragment, as reports print
// local files. The base of ref is not needed, as it follows from ref and from.
//
// If no reference in the form of ref leads to the new target, as when ref is a path
// and to has another host, the result is to. Retarget reports false if ref cannot
// lead to from, and if only a path of the file system could lead to a local target.
func Retarget(ref, from, to string) (string, bool) {
	r, f, t := Split(cleanReference(ref)), splitTarget(from), splitTarget(to)
	local := !f.Scheme.Defined
	if from == to || local != !t.Scheme.Defined && !local {
		return "", false
	}
	m := retargeting{ref: r, from: f, to: t}
	switch {
	case r.Scheme.Defined:
		if u, _, err := ParseWeb(ref); err != nil || u.Printed() != from {
			return "", false
		}
		return m.absolute(to)
	case local && t.Scheme.Defined:
		return to, m.fits()
	case !m.fits():
		return "", false
	case !r.Host.Defined && f.Authority() != t.Authority(), f.Scheme != t.Scheme:
		return to, true
	case r.Host.Defined:
		return m.verified(to, m.schemeRelative)
	default:
		return m.verified(to, m.relative)
	}
}

// cleanReference removes leading and trailing spaces and control characters, and
// all tabs and line breaks, and replaces backslashes before the query by slashes,
// as the parser of the web profile does.
func cleanReference(ref string) string {
	ref, _ = stripReference(ref)
	end := len(ref)
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		end = i
	}
	return strings.ReplaceAll(ref[:end], `\`, "/") + ref[end:]
}

// splitTarget splits a printed target. The path of a local target gets a leading
// slash, and each leading ".." becomes an ordinary segment.
func splitTarget(s string) Reference {
	if s == "./" {
		s = ""
	}
	r := Split(s)
	if !r.Scheme.Defined && !r.Host.Defined && !strings.HasPrefix(r.Path, "/") {
		ups := 0
		for strings.HasPrefix(r.Path, "../") {
			r.Path = r.Path[len("../"):]
			ups++
		}
		r.Path = "/" + strings.Repeat(parent+"/", ups) + r.Path
	}
	return r
}

// parent replaces ".." at the beginning of a local path.
const parent = "[..]"

// retargeting is the state of a call of Retarget.
type retargeting struct {
	ref, from, to Reference

	spelled []string // the path segments of ref, without dot segments
	ups     int      // the number of ".." before them
	above   []string // the path segments of from before those of ref
}

// fits splits the path of a relative reference and reports whether it can lead to
// from.
func (m *retargeting) fits() bool {
	from := pathSegments(m.from.Path)
	switch {
	case m.ref.Host.Defined:
		m.spelled = pathSegments(m.ref.Path)
	case m.ref.Path == "": // the document that contains it
		m.spelled = nil
		m.above = from[:max(len(from)-1, 0)]
		return true
	default:
		m.spelled, m.ups = resolveDots(m.ref.Path)
	}
	before := len(from) - len(m.spelled)
	if before < 0 || before > 0 && m.ref.Host.Defined {
		return false
	}
	if strings.HasPrefix(m.ref.Path, "/") && before > 0 && m.from.Host.Defined {
		return false
	}
	m.above = from[:before]
	for i, name := range m.spelled {
		if !sameSegment(name, from[before+i]) {
			return false
		}
	}
	return true
}

// resolveDots removes the dot segments of a path. It returns the other segments and
// the number of ".." that remain at the beginning of a relative path.
func resolveDots(path string) (names []string, ups int) {
	rooted := strings.HasPrefix(path, "/")
	parts := pathSegments(path)
	for i, name := range parts {
		last := i == len(parts)-1
		switch dotSegment(name) {
		case 1:
			if last {
				names = append(names, "")
			}
		case 2:
			if len(names) > 0 {
				names = names[:len(names)-1]
			} else if !rooted {
				ups++
			}
			if last {
				names = append(names, "")
			}
		default:
			names = append(names, name)
		}
	}
	return names, ups
}

// pathSegments splits a path into its segments.
func pathSegments(path string) []string {
	return strings.Split(strings.TrimPrefix(path, "/"), "/")
}

// sameSegment reports whether two segments are equal when they are decoded.
func sameSegment(a, b string) bool {
	if a == b {
		return true
	}
	x, err := url.PathUnescape(a)
	if err != nil {
		x = a
	}
	y, err := url.PathUnescape(b)
	if err != nil {
		y = b
	}
	return x == y
}

// absolute returns the new reference if ref has a scheme.
func (m *retargeting) absolute(to string) (string, bool) {
	for _, keep := range []bool{true, false} {
		if s := m.whole(keep); resolvesTo(nil, s, to) {
			return s, true
		}
	}
	return to, true
}

// whole returns the new target. If keep is set, the parts that both targets share
// are spelled as in ref.
func (m *retargeting) whole(keep bool) string {
	out := m.to
	if !keep {
		return out.String()
	}
	if m.from.Scheme == m.to.Scheme {
		out.Scheme = m.ref.Scheme
	}
	if m.from.Authority() == m.to.Authority() && (m.from.Scheme == m.to.Scheme || !m.ref.Port.Defined) {
		out.Userinfo, out.Host, out.Port = m.ref.Userinfo, m.ref.Host, m.ref.Port
	}
	switch {
	case m.from.Path != m.to.Path:
		m.spelled, _ = resolveDots(m.ref.Path)
		out.Path = "/" + strings.Join(keepSpelling(pathSegments(m.to.Path), pathSegments(m.from.Path), m.spelled), "/")
	case m.ref.Path != "" || m.from.Path != "/":
		out.Path = m.ref.Path
	default:
		out.Path = ""
	}
	m.keepTail(&out)
	return out.String()
}

// keepTail copies the query and the fragment from ref if both targets share them.
func (m *retargeting) keepTail(out *Reference) {
	if m.from.Query == m.to.Query {
		out.Query = m.ref.Query
	}
	if m.from.Fragment == m.to.Fragment {
		out.Fragment = m.ref.Fragment
	}
}

// keepSpelling returns the segments of to, with the segments that it shares with
// from, at the beginning and at the end, as in spelled, which has the segments of
// from in their original spelling.
func keepSpelling(to, from, spelled []string) []string {
	out := append([]string(nil), to...)
	if len(from) != len(spelled) {
		return out
	}
	front := 0
	for front < min(len(to), len(from)) && to[front] == from[front] {
		out[front] = spelled[front]
		front++
	}
	for back := 1; back <= min(len(to), len(from))-front && to[len(to)-back] == from[len(from)-back]; back++ {
		out[len(to)-back] = spelled[len(from)-back]
	}
	return out
}

// schemeRelative returns the new reference if ref begins with "//".
func (m *retargeting) schemeRelative(keep bool) string {
	s := m.whole(keep)
	_, rest, _ := strings.Cut(s, ":")
	return rest
}

// relative returns the new reference if ref has no authority, or "".
func (m *retargeting) relative(keep bool) string {
	to, from := pathSegments(m.to.Path), pathSegments(m.from.Path)
	out := Reference{Query: m.to.Query, Fragment: m.to.Fragment}
	if keep {
		m.keepTail(&out)
	}
	if m.from.Path == m.to.Path && (keep || m.ref.Path == "") {
		out.Path = m.ref.Path
		return out.String()
	}
	shared := 0
	for shared < min(len(m.above), len(to)-1) && m.above[shared] == to[shared] {
		shared++
	}
	rest := to[shared:]
	if keep && shared == len(m.above) {
		rest = keepSpelling(rest, from[shared:], m.spelled)
	}
	path := strings.Join(rest, "/")
	switch {
	case strings.HasPrefix(m.ref.Path, "/"):
		out.Path = "/" + path
		if shared < len(m.above) {
			return "" // outside the root of the site
		}
	default:
		out.Path = strings.Repeat("../", m.ups+len(m.above)-shared) + path
		first, _, _ := strings.Cut(out.Path, "/")
		if strings.Contains(first, ":") || first == "" || strings.HasPrefix(m.ref.Path, "./") && first != ".." {
			out.Path = "./" + out.Path
		}
	}
	return out.String()
}

// verified returns the first result of write that resolves to the new target: with
// the spelling of ref, or without it.
func (m *retargeting) verified(to string, write func(keep bool) string) (string, bool) {
	base := m.base()
	if base == nil || !resolvesTo(base, m.ref.String(), m.targetOf(m.from, "")) {
		return "", false
	}
	want := m.targetOf(m.to, to)
	for _, keep := range []bool{true, false} {
		if s := write(keep); (s != "" || m.ref.String() == "") && resolvesTo(base, s, want) {
			return s, true
		}
	}
	if m.from.Scheme.Defined {
		return to, true
	}
	return "", false
}

// base returns a base against which ref resolves to from.
func (m *retargeting) base() *Base {
	hidden := append([]string(nil), m.above...)
	if strings.HasPrefix(m.ref.Path, "/") && !m.from.Scheme.Defined {
		hidden = nil
	}
	for range m.ups {
		hidden = append(hidden, "hidden")
	}
	name := "page"
	if m.ref.Path == "" {
		from := pathSegments(m.from.Path)
		name = from[len(from)-1]
		if !m.ref.Query.Defined && m.from.Query.Defined {
			name += "?" + m.from.Query.Value
		}
	}
	u, _, err := ParseWeb(m.origin(m.from) + "/" + strings.Join(append(hidden, name), "/"))
	if err != nil {
		return nil
	}
	b, err := NewBase(u, "")
	if err != nil {
		return nil
	}
	return b
}

// origin returns the scheme and authority of a target, a placeholder for a local
// one.
func (m *retargeting) origin(target Reference) string {
	if !target.Scheme.Defined {
		return "https://local.invalid"
	}
	if !target.Host.Defined {
		return target.Scheme.Value + ":"
	}
	return target.Scheme.Value + "://" + target.Authority().Value
}

// targetOf returns the URL of a target as seen from the base. If ref begins at the
// root of a local site, the directories above the root are not part of it; the
// result is "" for a target outside the root.
func (m *retargeting) targetOf(target Reference, printed string) string {
	if target.Scheme.Defined && printed != "" {
		return printed
	}
	path := target.Path
	if strings.HasPrefix(m.ref.Path, "/") && !target.Scheme.Defined && len(m.above) > 0 {
		rest, ok := strings.CutPrefix(path, "/"+strings.Join(m.above, "/")+"/")
		if !ok {
			return ""
		}
		path = "/" + rest
	}
	tail := Reference{Path: path, Query: target.Query, Fragment: target.Fragment}
	return m.origin(target) + tail.String()
}

// resolvesTo reports whether a reference resolves to a target.
func resolvesTo(base *Base, ref, target string) bool {
	var u URL
	var err error
	if base == nil {
		u, _, err = ParseWeb(ref)
	} else {
		u, _, err = base.Resolve(ref)
	}
	if err != nil {
		return false
	}
	want, _, err := ParseWeb(target)
	return err == nil && u.Printed() == want.Printed()
}
