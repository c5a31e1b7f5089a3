package judging

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

// MissingScheme suggests what was probably meant by the URL of a missing target whose path
// ends in a mail address or contains the name of a web server. A reference without its
// scheme, such as "joe@example.com" or "www.example.com/guide", is resolved to a file in
// the directory of the page. The suggestion itself is not checked.
func MissingScheme(u urinorm.URL) (s check.Suggestion, ok bool) {
	path := u.Path()
	from := strings.LastIndexByte(path, '/') + 1
	if strings.IndexByte(path[from:], '@') >= 0 {
		meant := "mailto:" + fromPath(u, from)
		m, err := urinorm.ParseMailto(meant)
		return check.Suggestion{URL: meant, Why: "a mail address without mailto:"},
			err == nil && len(m.To) == 1 && urinorm.HasKnownTopLevel(m.To[0].Domain)
	}
	if from = strings.Index(path, "/www.") + 1; from == 0 {
		return check.Suggestion{}, false
	}
	meant, _, err := urinorm.ParseWeb("https://" + fromPath(u, from))
	return check.Suggestion{URL: meant.String(), Why: "a web address without https:"},
		err == nil && !meant.HasUserinfo() && urinorm.HasKnownTopLevel(strings.TrimPrefix(meant.Host(), "www."))
}

// fromPath returns the part of a URL from an offset in its path to its fragment.
func fromPath(u urinorm.URL, from int) string {
	return u.String()[u.Offsets().PathStart:u.Offsets().FragmentStart][from:]
}
