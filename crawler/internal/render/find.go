package render

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// names are the programs that are looked for in PATH, in this order.
var names = [...]string{"chromium", "google-chrome", "chromium-browser", "google-chrome-stable"}

// ErrNoBrowser is the error of Find when no browser was named and there is none.
var ErrNoBrowser = errors.New("no Chromium was found: none of " + strings.Join(names[:], ", ") + " is in PATH; install a browser (on Debian the package chromium), or name one with --render-browser")

// Find returns the path of the browser: the one named, else that of the environment variable
// CHROME, else the first that is found in PATH. An error for one that was named does not
// wrap ErrNoBrowser.
func Find(named string) (path string, err error) {
	by := "--render-browser"
	if named == "" {
		named, by = os.Getenv("CHROME"), "$CHROME"
	}
	if named != "" {
		if path, err = exec.LookPath(named); err != nil {
			return "", fmt.Errorf("%s: the browser cannot be run: %w", by, err)
		}
		return path, nil
	}
	for _, name := range names {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}
