package found

import (
	"errors"
	"os"
	"testing"
)

func TestEveryKeyHasAReason(t *testing.T) {
	for _, row := range keys {
		if row.why == "" {
			t.Errorf("%s: no reason", row.names)
		}
	}
}

// A path that cannot be followed is refused.
func TestPathsThatCannotBeFollowed(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("loop", "loop"); err != nil {
		t.Fatal(err)
	}
	if err := staysInside("loop/a", true); !errors.Is(err, errOutside) {
		t.Error(err)
	}
}
