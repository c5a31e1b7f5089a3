//go:build !race

package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is held of a stranger's file is bounded.
func TestReplayBound(t *testing.T) {
	const long, n = 256 << 10, maxKeptURL>>18 + 10
	name := filepath.Join(t.TempDir(), "e.warc.gz")
	var records []string
	for i := range n {
		records = append(records, response(fmt.Sprintf("http://a.test/%d%s", i, strings.Repeat("x", long)), "", "HTTP/1.1 200 OK\r\n\r\nhello"))
	}
	if err := os.WriteFile(name, foreign(t, records...), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if a.Beyond() == 0 || a.Beyond() > 15 || a.Damaged() > 0 {
		t.Errorf("of %d exchanges %d are left out, and %d damaged", n, a.Beyond(), a.Damaged())
	}
}
