package urinorm

import (
	"net/url"
	"strings"
)

// Retarget returns the reference that leads to another target from the place
// where ref leads to a known one: in the form that ref has, and with as little
// changed as can be. An absolute reference stays absolute, one that begins with
// "//", "/", "./" or "../" stays so, one that is a query or a fragment alone too;
// and components and path segments that both targets share keep the spelling that
// they have in ref.
//
// from is what ref resolves to and to the new target: both as URL.Printed gives
// them, or both paths relative to one directory, percent-encoded, with query and
// fragment, as reports print local files. The base that ref was resolved against is not
// asked for, since ref and from tell enough of it.
//
// Where the new target cannot be reached in the form of ref, such as from a path
// to another host, the result is the whole of to. It reports false where ref and
// from do not fit together, and where a local target can only be told by its
// place in the file system.
func Retarget(ref, from, to string) (string, bool) {
	r, f, t := Split(mendForm(ref)), splitTarget(from), splitTarget(to)
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
		return m.first(to, m.assembled)
	default:
		return m.first(to, m.relative)
	}
}

// mendForm does to a reference what the URL Standard does before it looks at
// anything: blanks around it go, so do tabs and line ends in it, and backslashes
// before the query are slashes.
func mendForm(ref string) string {
	ref = strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(ref, "\t\r\n") {
		ref = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(ref)
	}
	end := len(ref)
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		end = i
	}
	return strings.ReplaceAll(ref[:end], `\`, "/") + ref[end:]
}

// splitTarget cuts a printed target. The path of a local one gets a slash before
// it, and what leads up from the working directory becomes names of its own.
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

// parent stands for ".." in front of a local path.
const parent = "[..]"

// retargeting is one call of Retarget.
type retargeting struct {
	ref, from, to Reference

	spelled []string // the names in the path of ref, its dot segments worked off
	ups     int      // the ".." that lead it
	above   []string // the names in the path of from before those of ref
}

// fits takes the path of a relative reference apart and reports whether it can
// lead to from.
func (m *retargeting) fits() bool {
	from := pathNames(m.from.Path)
	switch {
	case m.ref.Host.Defined:
		m.spelled = pathNames(m.ref.Path)
	case m.ref.Path == "": // the document itself: its own name stands there
		m.spelled = nil
		m.above = from[:max(len(from)-1, 0)]
		return true
	default:
		m.spelled, m.ups = workOff(m.ref.Path)
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
		if !sameName(name, from[before+i]) {
			return false
		}
	}
	return true
}

// workOff removes the dot segments of a path as far as it does not lead above
// where it begins.
func workOff(path string) (names []string, ups int) {
	rooted := strings.HasPrefix(path, "/")
	parts := pathNames(path)
	for i, name := range parts {
		last := i == len(parts)-1
		switch dots(name) {
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

// dots is the number of dots in a dot segment, 0 for any other.
func dots(name string) int {
	if len(name) > len("%2e%2e") {
		return 0
	}
	switch strings.ReplaceAll(strings.ToLower(name), "%2e", ".") {
	case ".":
		return 1
	case "..":
		return 2
	}
	return 0
}

// pathNames cuts a path at its slashes, the first one aside.
func pathNames(path string) []string {
	return strings.Split(strings.TrimPrefix(path, "/"), "/")
}

// sameName reports whether two spellings of a segment name the same.
func sameName(a, b string) bool {
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

// absolute writes a reference that has a scheme.
func (m *retargeting) absolute(to string) (string, bool) {
	for _, keep := range []bool{true, false} {
		if s := m.whole(keep); leadsTo(nil, s, to) {
			return s, true
		}
	}
	return to, true
}

// whole is the new target with what both targets share spelled as in ref.
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
		m.spelled, _ = workOff(m.ref.Path)
		out.Path = "/" + strings.Join(keepSpelling(pathNames(m.to.Path), pathNames(m.from.Path), m.spelled), "/")
	case m.ref.Path != "" || m.from.Path != "/":
		out.Path = m.ref.Path
	default:
		out.Path = ""
	}
	m.keepTail(&out)
	return out.String()
}

// keepTail keeps query and fragment as ref has them where the targets share them.
func (m *retargeting) keepTail(out *Reference) {
	if m.from.Query == m.to.Query {
		out.Query = m.ref.Query
	}
	if m.from.Fragment == m.to.Fragment {
		out.Fragment = m.ref.Fragment
	}
}

// keepSpelling writes the names of to as spelled writes those of from that are the
// same: those that lead both paths, and those that end them.
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

// assembled is a reference that begins with "//".
func (m *retargeting) assembled(keep bool) string {
	s := m.whole(keep)
	_, rest, _ := strings.Cut(s, ":")
	return rest
}

// relative is a reference without an authority.
func (m *retargeting) relative(keep bool) string {
	to, from := pathNames(m.to.Path), pathNames(m.from.Path)
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
			return "" // above the root that the reference begins at
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

// first returns the first way of writing, with spellings kept or not, that leads
// to the new target.
func (m *retargeting) first(to string, write func(keep bool) string) (string, bool) {
	base := m.base()
	if base == nil || !leadsTo(base, m.ref.String(), m.targetOf(m.from, "")) {
		return "", false
	}
	want := m.targetOf(m.to, to)
	for _, keep := range []bool{true, false} {
		if s := write(keep); (s != "" || m.ref.String() == "") && leadsTo(base, s, want) {
			return s, true
		}
	}
	if m.from.Scheme.Defined {
		return to, true
	}
	return "", false
}

// base is a URL that ref could stand at.
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
		from := pathNames(m.from.Path)
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

// origin is the scheme and authority of a target; local ones get some.
func (m *retargeting) origin(target Reference) string {
	if !target.Scheme.Defined {
		return "https://local.invalid"
	}
	if !target.Host.Defined {
		return target.Scheme.Value + ":"
	}
	return target.Scheme.Value + "://" + target.Authority().Value
}

// targetOf is a target as references at the base lead to it: of a local path,
// what is above the root of a reference that begins there is not part of it.
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

// leadsTo reports whether a reference leads to a target, as both are printed.
func leadsTo(base *Base, ref, target string) bool {
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
