package verdicts

import (
	"strings"
	"testing"
)

func FuzzReadAvailability(f *testing.F) {
	f.Add(`{"url": "x", "archived_snapshots": {"closest": {"status": "200", "available": true, "url": "http://web.archive.org/web/1/x", "timestamp": "20130919044612"}}}`)
	f.Add(`{"archived_snapshots": {}}`)
	f.Add(`{"archived_snapshots": {"closest": {"status": 200, "available": true, "url": "ftp://x"}}}`)
	f.Fuzz(func(t *testing.T, body string) {
		found, err := readAvailability([]byte(body))
		if err == nil && found != nil && !strings.HasPrefix(found.url, "http") {
			t.Fatalf("%q gives %q", body, found.url)
		}
	})
}
