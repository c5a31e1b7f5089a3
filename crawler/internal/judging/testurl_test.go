package judging

import (
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// parse returns a URL that must be valid.
func parse(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
