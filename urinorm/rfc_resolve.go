package urinorm

import (
	"errors"
	"strings"
)

// ErrBase is a base URI without a scheme: RFC 3986 section 5.1 resolves only
// against an absolute one.
var ErrBase = errors.New("base URI has no scheme")

// ResolveRFC resolves ref against base as RFC 3986 section 5.2 says and returns
// the target URI. Both must follow the grammar, and base needs a scheme; its
// fragment plays no part. Nothing is normalized on the way but dot segments.
//
// strict decides about a reference like "http:g" that repeats the scheme of the
// base: a strict parser takes it for an absolute URI; otherwise the scheme is
// ignored, for backward compatibility (section 5.2.2).
//
// The result is always a valid URI: where the letter of section 5.3 would turn a
// path into an authority ("s:" and "/.//b" would give "s://b"), "/." is put
// before the path, which section 5.2.4 takes off again.
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
		return target.guarded()
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
	return target.guarded()
}

func (r *Reference) inheritAuthority(base Reference) {
	r.Userinfo, r.Host, r.Port = base.Userinfo, base.Host, base.Port
}

// merge puts a relative path behind the last slash of the base's path (section
// 5.2.3).
func (r Reference) merge(path string) string {
	if r.Host.Defined && r.Path == "" {
		return "/" + path
	}
	return r.Path[:strings.LastIndexByte(r.Path, '/')+1] + path
}

// guarded keeps a path that begins with "//" from being read as an authority
// when there is none (section 3.3 forbids such a path).
func (r Reference) guarded() Reference {
	if !r.Host.Defined && strings.HasPrefix(r.Path, "//") {
		r.Path = "/." + r.Path
	}
	return r
}

// RemoveDotSegments is remove_dot_segments of RFC 3986 section 5.2.4, to the
// letter: ".." at the root stays there, a complete last segment of dots leaves
// its slash, and the dots that lead a path without a root are dropped. It takes
// time in proportion to the length of the path.
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

// rfcDropSegment takes the last segment and its '/' off.
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

// SameDocument reports whether ref, resolved against base, refers to the
// document that base identifies: whether the target is, aside from its
// fragment, identical to the base URI (RFC 3986 section 4.4). Such a reference
// must not make a reader fetch the document again.
//
// Identity is that of strings. Normalize both first for the larger set of
// same-document references that section 4.4 allows.
func SameDocument(base, ref string) (bool, error) {
	target, err := ResolveRFC(base, ref, true)
	if err != nil {
		return false, err
	}
	base, _, _ = strings.Cut(base, "#")
	target, _, _ = strings.Cut(target, "#")
	return base == target, nil
}

// FromSuffix completes a suffix reference, the authority and path that people
// write without a scheme (RFC 3986 section 4.5): "www.example.com/a" becomes
// "https://www.example.com/a". A name that begins with "ftp." gets "ftp", every
// other "https". It reports false for what does not look like a suffix: the
// host must be a name with a dot and a last label that is no number,
// "localhost", an IPv4 address or a bracketed IP literal.
//
// A file may be named like a host ("README.md"): ask the file system first.
// Beyond its host the result is not checked; parse it.
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
