package crawlertest

import (
	"regexp"
	"strings"
	"testing"
)

// TestTraps tests that the pages of each trap link to further pages and to /real.html.
func TestTraps(t *testing.T) {
	links := regexp.MustCompile(`(?:href="|<loc>http://example.com)([^"<]*)`)
	for _, trap := range Traps() {
		h := trap.New()
		status, _, body := ask(t, h, "GET", trap.Start)
		found := links.FindAllStringSubmatch(body, -1)
		if status != 200 || len(found) < 2 || !strings.Contains(body, "/real.html") {
			t.Errorf("%s: status %d, %q", trap.Name, status, body)
			continue
		}
		for _, link := range found {
			target := strings.ReplaceAll(link[1], "&amp;", "&")
			if !strings.HasPrefix(target, "/") {
				target = trap.Start + target
			}
			if status, _, body := ask(t, h, "GET", target); status != 200 || target != "/real.html" && !links.MatchString(body) {
				t.Errorf("%s: %s: status %d, %q", trap.Name, target, status, body)
			}
		}
		if status, _, _ := ask(t, h, "GET", "/gone.html"); status != 404 {
			t.Errorf("%s: /gone.html exists", trap.Name)
		}
	}
}
