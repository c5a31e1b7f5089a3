package rules

import (
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Href is a resolved URL that has not become a string: the bytes of the href and
// where its parts lie.
type Href struct {
	Bytes   []byte
	Offsets urinorm.Offsets
}

// URLOf parses the bytes anew.
func URLOf(v Href) urinorm.URL {
	u, _, _ := urinorm.ParseWeb(string(v.Bytes))
	return u
}

func HrefOf(u urinorm.URL) Href { return Href{[]byte(u.String()), u.Offsets()} }

func (v Href) Scheme() []byte    { return v.Bytes[:v.Offsets.SchemeEnd] }
func (v Href) Host() []byte      { return v.Bytes[v.Offsets.HostStart:v.Offsets.HostEnd] }
func (v Href) Authority() []byte { return v.Bytes[v.Offsets.HostStart:v.AuthorityEnd()] }
func (v Href) Path() []byte      { return v.Bytes[v.Offsets.PathStart:v.Offsets.QueryStart] }
func (v Href) Document() []byte  { return v.Bytes[:v.Offsets.FragmentStart] }

// AuthorityEnd is the end of host and port.
func (v Href) AuthorityEnd() int32 {
	if !v.Offsets.HasAuthority {
		return v.Offsets.HostEnd
	}
	return v.Offsets.PathStart
}

// Fragment returns what stands behind '#', and whether there is one.
func (v Href) Fragment() ([]byte, bool) {
	if int(v.Offsets.FragmentStart) >= len(v.Bytes) {
		return nil, false
	}
	return v.Bytes[v.Offsets.FragmentStart+1:], true
}

func (v Href) IsHTTP() bool {
	s := v.Scheme()
	return len(s) >= 4 && s[0] == 'h' && (string(s) == "http" || string(s) == "https")
}

// Crawlable reports whether a scheme has pages that lead to others: the web's, FTP
// directories and gopher menus.
func (v Href) Crawlable() bool {
	if v.IsHTTP() {
		return true
	}
	switch string(v.Scheme()) {
	case "ftp", "ftps", "gopher":
		return true
	}
	return false
}

// DocumentName is the last segment of a URL's path, by whose extension a format is known.
func DocumentName(u urinorm.URL) string {
	p := u.Path()
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] == '/' {
			return p[i+1:]
		}
	}
	return p
}

// FragmentOf is what follows the first '#' of a reference.
func FragmentOf(raw string) string {
	_, fragment, _ := strings.Cut(raw, "#")
	return fragment
}
