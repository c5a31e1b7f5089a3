package urinorm

// schemeKind tells the schemes apart that a browser treats apart.
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

// web reports whether the scheme is http(s) or ws(s): those whose userinfo
// names no resource of its own (RFC 9110 4.2.4).
func (k schemeKind) web() bool { return schemeHTTP <= k && k <= schemeWSS }

// pageCharset reports whether queries are encoded in the charset of the page
// they stand on (URL Standard 4.4, query state).
func (k schemeKind) pageCharset() bool {
	return k == schemeHTTP || k == schemeHTTPS || k == schemeFTP || k == schemeFile
}

// defaultPort returns the port of URL Standard 4.2, 0 for none.
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

// IsDefaultPort reports whether port is the one that scheme, in lower case,
// uses when a URL names none: 80 for http and ws, 443 for https and wss, 21 for
// ftp (URL Standard 4.2). No other scheme has one here.
func IsDefaultPort(scheme string, port int) bool {
	d := schemeKindOf(scheme).defaultPort()
	return d != 0 && d == port
}
