package urinorm

// schemeKind distinguishes the special schemes from each other and from the rest.
type schemeKind uint8

const (
	schemeOther schemeKind = iota
	schemeFile
	schemeHTTP
	schemeHTTPS
	schemeWS
	schemeWSS
	schemeFTP
)

// schemeKindOf classifies a scheme in lower case.
func schemeKindOf(scheme string) schemeKind {
	switch scheme {
	case "https":
		return schemeHTTPS
	case "http":
		return schemeHTTP
	case "file":
		return schemeFile
	case "ftp":
		return schemeFTP
	case "ws":
		return schemeWS
	case "wss":
		return schemeWSS
	}
	return schemeOther
}

// special reports whether the scheme is special (URL Standard 4.2).
func (k schemeKind) special() bool { return k != schemeOther }

// web reports whether the scheme is http(s) or ws(s), where the userinfo does not
// identify a resource (RFC 9110 4.2.4).
func (k schemeKind) web() bool { return schemeHTTP <= k && k <= schemeWSS }

// pageCharset reports whether queries are encoded in the charset of the page that
// contains the reference (URL Standard 4.4, query state).
func (k schemeKind) pageCharset() bool {
	return k == schemeHTTP || k == schemeHTTPS || k == schemeFTP || k == schemeFile
}

// defaultPort returns the default port (URL Standard 4.2), 0 if there is none.
func (k schemeKind) defaultPort() int {
	switch k {
	case schemeHTTP, schemeWS:
		return 80
	case schemeHTTPS, schemeWSS:
		return 443
	case schemeFTP:
		return 21
	}
	return 0
}

// cutScheme cuts s after the scheme and its ':', if it begins with one.
func cutScheme(s string) (scheme, rest string, ok bool) {
	if s == "" || !isAlpha(s[0]) {
		return "", s, false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == ':':
			return s[:i], s[i+1:], true
		case !isAlpha(c) && !isDigit(c) && c != '+' && c != '-' && c != '.':
			return "", s, false
		}
	}
	return "", s, false
}

// isSlash reports whether c separates path segments: '/', and in special
// schemes '\'.
func isSlash(c byte, special bool) bool { return c == '/' || special && c == '\\' }

func startsWithSlash(s string, special bool) bool { return s != "" && isSlash(s[0], special) }
