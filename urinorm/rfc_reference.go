package urinorm

import "strings"

// A URI reference and its components (RFC 3986 section 3):
//
//	  foo://user:pw@example.com:8042/over/there?name=ferret#nose
//	  └┬┘   └──┬──┘ └────┬────┘ └┬─┘└────┬────┘ └────┬────┘ └┬─┘
//	scheme userinfo    host    port    path       query  fragment
//	        └──────────┬───────────┘
//	               authority
//
//	  urn:example:animal:ferret:nose
//	  └┬┘ └───────────┬────────────┘
//	scheme          path

// Component is a part of a URI reference that may be absent. RFC 3986 section 5.3
// distinguishes a component that is empty (its delimiter is present) from one
// that is undefined: "http://h/?" has an empty query, "http://h/" has none, and
// the two identify different resources.
type Component struct {
	Value   string
	Defined bool
}

// Present returns a defined component, which may be empty.
func Present(value string) Component { return Component{Value: value, Defined: true} }

// Reference is a URI reference cut into the components of RFC 3986 section 3,
// each as written. The zero value is the empty reference, which refers to the
// document that contains it.
//
// There is an authority if and only if Host is defined; the path is always
// defined, though it may be empty.
type Reference struct {
	Scheme   Component // without the ':'
	Userinfo Component // without the '@'
	Host     Component // IP literals with their brackets
	Port     Component // without the ':'; empty in "http://h:/"
	Path     string
	Query    Component // without the '?'
	Fragment Component // without the '#'
}

// Authority returns the authority component, [ userinfo "@" ] host [ ":" port ]
// (section 3.2), undefined if the reference has none.
func (r Reference) Authority() Component {
	if !r.Host.Defined {
		return Component{}
	}
	if !r.Userinfo.Defined && !r.Port.Defined {
		return r.Host
	}
	return Present(string(r.appendAuthority(nil)))
}

func (r Reference) appendAuthority(dst []byte) []byte {
	if r.Userinfo.Defined {
		dst = append(append(dst, r.Userinfo.Value...), '@')
	}
	dst = append(dst, r.Host.Value...)
	if r.Port.Defined {
		dst = append(append(dst, ':'), r.Port.Value...)
	}
	return dst
}

// IsAbsolute reports whether the reference has a scheme. (What section 4.3 calls an
// absolute URI also has no fragment.)
func (r Reference) IsAbsolute() bool { return r.Scheme.Defined }

// String recomposes the components (section 5.3). For every s,
// Split(s).String() == s.
func (r Reference) String() string {
	n := len(r.Scheme.Value) + len(r.Userinfo.Value) + len(r.Host.Value) + len(r.Port.Value) +
		len(r.Path) + len(r.Query.Value) + len(r.Fragment.Value) + len("://@:?#")
	dst := make([]byte, 0, n)
	if r.Scheme.Defined {
		dst = append(append(dst, r.Scheme.Value...), ':')
	}
	if r.Host.Defined {
		dst = r.appendAuthority(append(dst, '/', '/'))
	}
	dst = append(dst, r.Path...)
	if r.Query.Defined {
		dst = append(append(dst, '?'), r.Query.Value...)
	}
	if r.Fragment.Defined {
		dst = append(append(dst, '#'), r.Fragment.Value...)
	}
	return string(dst)
}

// Split cuts any string into components as the regular expression of RFC 3986
// appendix B does,
//
//	^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?
//
// and the authority into its parts. It never fails and checks nothing; [ParseRFC]
// checks the grammar. The userinfo ends at the last '@'
// of the authority, the host at the ']' of an IP literal or at the first ':'.
func Split(s string) Reference {
	var r Reference
	if i := strings.IndexByte(s, '#'); i >= 0 {
		r.Fragment = Present(s[i+1:])
		s = s[:i]
	}
	if i := strings.IndexByte(s, '?'); i >= 0 {
		r.Query = Present(s[i+1:])
		s = s[:i]
	}
	if i := strings.IndexAny(s, ":/"); i > 0 && s[i] == ':' {
		r.Scheme = Present(s[:i])
		s = s[i+1:]
	}
	if strings.HasPrefix(s, "//") {
		s = s[2:]
		end := strings.IndexByte(s, '/')
		if end < 0 {
			end = len(s)
		}
		r.splitAuthority(s[:end])
		s = s[end:]
	}
	r.Path = s
	return r
}

func (r *Reference) splitAuthority(s string) {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		r.Userinfo = Present(s[:i])
		s = s[i+1:]
	}
	colon := strings.IndexByte(s, ':')
	if strings.HasPrefix(s, "[") {
		// The colons of an IP literal delimit nothing.
		colon = -1
		if end := strings.IndexByte(s, ']'); end >= 0 && end+1 < len(s) && s[end+1] == ':' {
			colon = end + 1
		}
	}
	if colon >= 0 {
		r.Port = Present(s[colon+1:])
		s = s[:colon]
	}
	r.Host = Present(s)
}
