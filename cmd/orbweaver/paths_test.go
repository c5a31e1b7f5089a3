package main

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// TestPathsOfSystems has absolute paths of Windows and of other systems, and the paths of their
// file: URLs. One leads to the other and back.
func TestPathsOfSystems(t *testing.T) {
	for _, c := range []struct {
		windows   bool
		path, url string
	}{
		{true, `C:\Users\Ada\site`, "/C:/Users/Ada/site"},
		{true, `c:\a b\100%.html`, "/c:/a b/100%.html"},
		{true, `\\server\share\site`, "//server/share/site"},
		{true, `\\?\C:\` + long, "//?/C:/" + long},
		{true, `C:\`, "/C:/"},
		{false, "/Users/ada/site", "/Users/ada/site"},
		{false, "/Volumes/Data/a:b", "/Volumes/Data/a:b"},
		{false, "/C:/not a drive", "/C:/not a drive"},
		{false, `/home/ada/back\slash`, `/home/ada/back\slash`},
		{false, "/", "/"},
	} {
		if got := urlPath(c.path, c.windows); got != c.url {
			t.Errorf("the path of the URL of %s (Windows: %t) is %s, want %s", c.path, c.windows, got, c.url)
		}
		if got := systemPath(c.url, c.windows); got != c.path {
			t.Errorf("%s (Windows: %t) is the file %s, want %s", c.url, c.windows, got, c.path)
		}
		u, _, err := urinorm.ParseWeb("file://" + escapedPath(c.url))
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		decoded, err := unescapePath(u.Path())
		if back := systemPath(decoded, c.windows); err != nil || back != c.path {
			t.Errorf("%s is written %s, which is %s (%v)", c.path, u, back, err)
		}
	}
}

// long makes a path longer than the 260 characters that Windows once allowed.
var long = strings.Repeat("d", 300)
