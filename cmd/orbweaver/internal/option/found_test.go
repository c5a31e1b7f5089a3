package option

import (
	"errors"
	"os"
	"testing"
)

// Every key of a configuration is permitted or refused with a reason, and nothing else is.
func TestEveryKeyHasAReason(t *testing.T) {
	for _, f := range All() {
		isKey := f.On&Check != 0 && f.Group != Configuration
		if isKey != (f.Found.use != unsafe) || isKey != (f.Found.why != "") {
			t.Errorf("--%s: a key %v, permission %+v", f.Name, isKey, f.Found)
		}
	}
}

// A path that cannot be followed is refused.
func TestPathsThatCannotBeFollowed(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("loop", "loop"); err != nil {
		t.Fatal(err)
	}
	if err := staysInside("", "loop/a", true); !errors.Is(err, errOutside) {
		t.Error(err)
	}
}
