package urinorm

import "strconv"

// URL is an absolute URL as a browser stores it after parsing an href: the
// serialization of the URL Standard and the offsets of its parts. It is
// immutable. The zero value is not a URL.
//
//	https://user:pass@example.com:8042/over/there?name=ferret#nose
//	│    │  │         │          │    │          │           │
//	│    │  UserStart HostStart  │    PathStart  QueryStart  FragmentStart
//	│    SchemeEnd               HostEnd
//	0
type URL struct {
	href string
	at   Offsets
}

// Offsets holds the positions of the parts of a serialized URL, in bytes from its
// start. An absent part has the offset of the part that follows it; QueryStart
// and FragmentStart point at '?' and '#', or at the end of the URL.
//
// If the URL has no authority and its path begins with "//", the path is preceded
// by "/.", which is not part of it:
//
//	web+demo:/.//not-a-host/
//	│       ││  │
//	│       ││  PathStart
//	│       │UserStart = HostStart = HostEnd
//	0       SchemeEnd
type Offsets struct {
	SchemeEnd     int32 // the ':' after the scheme
	UserStart     int32 // after "//", or SchemeEnd+1 if there is no authority
	HostStart     int32 // after the '@', if any
	HostEnd       int32 // before the ':' of the port, if any
	PathStart     int32
	QueryStart    int32
	FragmentStart int32
	HasAuthority  bool
	opaque        bool // the path is opaque: relative references cannot be resolved against it
}

// IsZero reports whether u is the zero value, which is not a URL.
func (u URL) IsZero() bool { return u.href == "" }

// String returns the href: the whole URL, fragment included (URL Standard 4.5).
func (u URL) String() string { return u.href }

// Offsets returns the offsets of the parts within u.String().
func (u URL) Offsets() Offsets { return u.at }

// Scheme returns the scheme in lower case, without its ':'.
func (u URL) Scheme() string { return u.href[:u.at.SchemeEnd] }

// isSpecial reports whether the scheme is special: ftp, file, http, https, ws or
// wss (URL Standard 4.2).
func (u URL) isSpecial() bool { return schemeKindOf(u.Scheme()).special() }

// HasUserinfo reports whether a user name or a password is given.
func (u URL) HasUserinfo() bool { return u.at.HostStart > u.at.UserStart }

// Username returns the user name, percent-encoded.
func (u URL) Username() string {
	name, _ := u.userinfo()
	return name
}

// Password returns the password, percent-encoded.
func (u URL) Password() string {
	_, password := u.userinfo()
	return password
}

// userinfo cuts user:password at the ':', which is percent-encoded in both.
func (u URL) userinfo() (name, password string) {
	if !u.HasUserinfo() {
		return "", ""
	}
	info := u.href[u.at.UserStart : u.at.HostStart-1]
	for i := 0; i < len(info); i++ {
		if info[i] == ':' {
			return info[:i], info[i+1:]
		}
	}
	return info, ""
}

// Host returns the host without port: a domain as A-labels, an IPv4 address in
// dotted decimal, an IPv6 address in brackets, or the opaque host of a scheme
// that is not special. It is empty if there is none.
func (u URL) Host() string { return u.href[u.at.HostStart:u.at.HostEnd] }

// Port returns the port in decimal, or "" if it is absent or the scheme's default.
func (u URL) Port() string {
	if !u.at.HasAuthority || u.at.HostEnd == u.at.PathStart {
		return ""
	}
	return u.href[u.at.HostEnd+1 : u.at.PathStart]
}

// EffectivePort returns the port to connect to: the port of the URL, or else the
// default port of the scheme, or else 0.
func (u URL) EffectivePort() int {
	if port := u.Port(); port != "" {
		n, _ := strconv.Atoi(port) // the parser accepts only numbers
		return n
	}
	return schemeKindOf(u.Scheme()).defaultPort()
}

// Authority returns host[:port], without userinfo.
func (u URL) Authority() string {
	if !u.at.HasAuthority {
		return ""
	}
	return u.href[u.at.HostStart:u.at.PathStart]
}

// Path returns the path, percent-encoded.
func (u URL) Path() string { return u.href[u.at.PathStart:u.at.QueryStart] }

// Query returns the query without its '?', and whether there is one: "a?" has
// an empty query, "a" has none.
func (u URL) Query() (query string, ok bool) {
	if u.at.QueryStart == u.at.FragmentStart {
		return "", false
	}
	return u.href[u.at.QueryStart+1 : u.at.FragmentStart], true
}

// Fragment returns the fragment without its '#', and whether there is one.
func (u URL) Fragment() (fragment string, ok bool) {
	if int(u.at.FragmentStart) == len(u.href) {
		return "", false
	}
	return u.href[u.at.FragmentStart+1:], true
}

// RequestTarget returns path[?query], the request target of HTTP in origin-form
// (RFC 9112 3.2.1).
func (u URL) RequestTarget() string {
	return u.href[u.at.PathStart:u.at.FragmentStart]
}

// Directory returns the path up to and including its last '/', or "" if it has none.
func (u URL) Directory() string {
	path := u.Path()
	for i := len(path); i > 0; i-- {
		if path[i-1] == '/' {
			return path[:i]
		}
	}
	return ""
}

// WithoutFragment returns u without its fragment.
func (u URL) WithoutFragment() URL {
	return URL{href: u.href[:u.at.FragmentStart], at: u.at}
}

// WithoutUserinfo returns u without user name and password.
func (u URL) WithoutUserinfo() URL {
	if !u.HasUserinfo() {
		return u
	}
	cut := u.at.HostStart - u.at.UserStart
	at := u.at
	at.HostStart -= cut
	at.HostEnd -= cut
	at.PathStart -= cut
	at.QueryStart -= cut
	at.FragmentStart -= cut
	return URL{href: u.href[:u.at.UserStart] + u.href[u.at.HostStart:], at: at}
}
