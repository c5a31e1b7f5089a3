package formlogin

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
	"github.com/orbweaver/orbweaver/crawler/session"
)

// shortestSecret is the length of the shortest secret that can be told from other words, in
// bytes.
const shortestSecret = 4

// hide replaces secrets in a text from the site, also encoded ones. A text that repeats a
// secret too short to be told from other words is dropped.
func hide(text string, secrets ...session.Secret) string {
	for _, s := range secrets {
		word := s.Reveal()
		if word == "" {
			continue
		}
		for _, form := range spellings(word) {
			switch {
			case !strings.Contains(text, form):
			case len(word) < shortestSecret:
				return ""
			default:
				text = strings.ReplaceAll(text, form, "***")
			}
		}
	}
	return text
}

// spellings returns a text as it is and in the encodings in which a page or a URL may repeat
// it, the longest first.
func spellings(word string) []string {
	quoted, _ := json.Marshal(word) // it is a string: there is no error
	list := []string{word, strings.Join(strings.Fields(word), " "), url.QueryEscape(word), url.PathEscape(word), html.EscapeString(word),
		strings.Trim(string(quoted), `"`), base64.RawStdEncoding.EncodeToString([]byte(word)), base64.RawURLEncoding.EncodeToString([]byte(word))}
	for _, escaped := range list[2:4] {
		list = append(list, percentEncoded().ReplaceAllStringFunc(escaped, strings.ToLower))
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// percentEncoded matches percent-encoded bytes.
var percentEncoded = lazy.Regexp("%[0-9A-F]{2}")
