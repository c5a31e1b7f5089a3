package check

import (
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// MissingScheme suggests what was probably meant by a URL at which there is nothing, when
// its path ends in a mail address or holds the name of a web server: a reference without
// its scheme, such as "joe@example.com" or "www.example.com/guide", leads to a file beside
// the page. Nothing is known of what is suggested.
func MissingScheme(u urinorm.URL) (s Suggestion, ok bool) {
	path := u.Path()
	from := strings.LastIndexByte(path, '/') + 1
	if strings.IndexByte(path[from:], '@') >= 0 {
		meant := "mailto:" + behind(u, from)
		m, err := urinorm.ParseMailto(meant)
		return Suggestion{URL: meant, Why: "a mail address without mailto:"},
			err == nil && len(m.To) == 1 && urinorm.HasKnownTopLevel(m.To[0].Domain)
	}
	if from = strings.Index(path, "/www.") + 1; from == 0 {
		return Suggestion{}, false
	}
	meant, _, err := urinorm.ParseWeb("https://" + behind(u, from))
	return Suggestion{URL: meant.String(), Why: "a web address without https:"},
		err == nil && !meant.HasUserinfo() && urinorm.HasKnownTopLevel(strings.TrimPrefix(meant.Host(), "www."))
}

// behind is the rest of a URL without its fragment, from a place in its path on.
func behind(u urinorm.URL, from int) string {
	return u.String()[u.Offsets().PathStart:u.Offsets().FragmentStart][from:]
}
