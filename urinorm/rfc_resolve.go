package urinorm

import (
	"errors"
	"strings"
)

// ErrBase: a base URI has no scheme. References are resolved only against an
// absolute URI (RFC 3986 section 5.1).
var ErrBase = errors.New("base URI has no scheme")

// ResolveRFC resolves ref against base (RFC 3986 section 5.2) and returns the
// target URI. Both must parse, and base needs a scheme; its fragment is ignored.
// Dot segments are removed; nothing else is normalized.
//
// A reference like "http:g", which repeats the scheme of the base, is an absolute
// URI if strict is set. Otherwise its scheme is ignored for backward compatibility
// (section 5.2.2).
//
// The result is always a valid URI: where section 5.3 would turn a path into an
// authority ("s:" and "/.//b" would give "s://b"), the path gets the prefix "/.",
// which section 5.2.4 removes again.
//
// The error is an [*Error] that wraps a [*SyntaxError], [ErrTooLong] or [ErrBase].
func ResolveRFC(base, ref string, strict bool) (string, error) {
	b, err := ParseRFC(base)
	if err != nil {
		return "", err
	}
	if !b.Scheme.Defined {
		return "", newError("resolve against", base, ErrBase)
	}
	r, err := ParseRFC(ref)
	if err != nil {
		return "", err
	}
	return b.Resolve(r, strict).String(), nil
}

// Resolve transforms ref into its target relative to r, the base URI: the
// pseudocode of RFC 3986 section 5.2.2, step by step. See [ResolveRFC].
func (r Reference) Resolve(ref Reference, strict bool) Reference {
	if !strict && ref.Scheme.Defined && strings.EqualFold(ref.Scheme.Value, r.Scheme.Value) {
		ref.Scheme = Component{}
	}
	target := ref
	switch {
	case ref.Scheme.Defined:
		target.Path = RemoveDotSegments(ref.Path)
		return target.guardPath()
	case ref.Host.Defined:
		target.Path = RemoveDotSegments(ref.Path)
	case ref.Path == "":
		target.Path = r.Path
		if !ref.Query.Defined {
			target.Query = r.Query
		}
		target.inheritAuthority(r)
	case ref.Path[0] == '/':
		target.Path = RemoveDotSegments(ref.Path)
		target.inheritAuthority(r)
	default:
		target.Path = RemoveDotSegments(r.merge(ref.Path))
		target.inheritAuthority(r)
	}
	target.Scheme = r.Scheme
	return target.guardPath()
}

func (r *Reference) inheritAuthority(base Reference) {
	r.Userinfo, r.Host, r.Port = base.Userinfo, base.Host, base.Port
}

// merge appends a relative path to the base's path up to its last slash (section
// 5.2.3).
func (r Reference) merge(path string) string {
	if r.Host.Defined && r.Path == "" {
		return "/" + path
	}
	return r.Path[:strings.LastIndexByte(r.Path, '/')+1] + path
}

// guardPath returns r with "/." before a path that begins with "//" if there is no
// authority, as the path would be read as one (section 3.3 forbids such a path).
func (r Reference) guardPath() Reference {
	if !r.Host.Defined && strings.HasPrefix(r.Path, "//") {
		r.Path = "/." + r.Path
	}
	return r
}

// RemoveDotSegments is remove_dot_segments of RFC 3986 section 5.2.4: a ".." at the
// root is removed, a dot segment at the end leaves its slash, and dot segments at
// the beginning of a rootless path are removed. It takes linear time.
func RemoveDotSegments(path string) string {
	if !rfcHasDotSegment(path) {
		return path
	}
	out := make([]byte, 0, len(path))
	for in := path; in != ""; {
		switch {
		case strings.HasPrefix(in, "../"): // 2A
			in = in[3:]
		case strings.HasPrefix(in, "./"):
			in = in[2:]
		case strings.HasPrefix(in, "/./"): // 2B
			in = in[2:]
		case in == "/.":
			in = "/"
		case strings.HasPrefix(in, "/../"): // 2C
			in = in[3:]
			out = rfcDropSegment(out)
		case in == "/..":
			in = "/"
			out = rfcDropSegment(out)
		case in == "." || in == "..": // 2D
			in = ""
		default: // 2E
			end := 1 + strings.IndexByte(in[1:], '/')
			if end == 0 {
				end = len(in)
			}
			out = append(out, in[:end]...)
			in = in[end:]
		}
	}
	return string(out)
}

// rfcDropSegment removes the last segment and its '/'.
func rfcDropSegment(path []byte) []byte {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return path[:i]
		}
	}
	return path[:0]
}

// rfcHasDotSegment reports whether any segment of the path is "." or "..".
func rfcHasDotSegment(path string) bool {
	for start := 0; start < len(path); {
		if path[start] == '.' {
			rest := strings.TrimPrefix(path[start+1:], ".")
			if rest == "" || rest[0] == '/' {
				return true
			}
		}
		slash := strings.IndexByte(path[start:], '/')
		if slash < 0 {
			return false
		}
		start += slash + 1
	}
	return false
}

// SameDocument reports whether ref, resolved against base, refers to the document
// that base identifies: whether the target is identical to the base URI, aside
// from the fragments (RFC 3986 section 4.4). Following such a reference must not
// fetch the document again.
//
// The URIs are compared as strings. Normalize both first to find all same-document
// references that section 4.4 allows.
func SameDocument(base, ref string) (bool, error) {
	target, err := ResolveRFC(base, ref, true)
	if err != nil {
		return false, err
	}
	base, _, _ = strings.Cut(base, "#")
	target, _, _ = strings.Cut(target, "#")
	return base == target, nil
}

// FromSuffix adds a scheme to a suffix reference, an authority and path that
// people write without one (RFC 3986 section 4.5): "www.example.com/a" becomes
// "https://www.example.com/a". The scheme is "ftp" if the name begins with "ftp.",
// otherwise "https". It reports false if s is not a suffix reference: the host must
// be a name that has a dot and does not end in a number, or "localhost", an IPv4
// address or an IP literal in brackets.
//
// A file may have a name like a host ("README.md"), so look for a file first. Only
// the host and the port of the result have been checked.
func FromSuffix(s string) (string, bool) {
	host := s
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	var split Reference
	split.splitAuthority(host)
	if split.Userinfo.Defined || split.Port.Defined && split.Port.Value == "" ||
		rfcCheckPort(split.Port.Value, 0) != nil {
		return "", false
	}
	name := split.Host.Value
	if !rfcIsSuffixHost(name) {
		return "", false
	}
	if len(name) > 4 && strings.EqualFold(name[:4], "ftp.") {
		return "ftp://" + s, true
	}
	return "https://" + s, true
}

func rfcIsSuffixHost(name string) bool {
	switch {
	case strings.HasPrefix(name, "["):
		return rfcCheckHost(name, 0) == nil
	case strings.EqualFold(name, "localhost"), rfcIsIPv4(name):
		return true
	}
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; c < 0x80 && !rfcIs(c, rfcAlpha|rfcDigit) && c != '-' && c != '_' {
				return false
			}
		}
	}
	last := labels[len(labels)-1]
	return len(labels) > 1 && len(last) > 1 && !rfcIs(last[0], rfcDigit)
}
