package check

import (
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// parse gives the URL of a literal.
func parse(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
