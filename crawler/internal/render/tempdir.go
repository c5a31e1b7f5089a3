package render

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tempPrefix begins the names of the temporary directories. The number of the process that
// made one follows, and a hyphen.
const tempPrefix = "orbweaver-render-"

// makeTempDir makes the directory for all that the browser writes, and removes those of
// processes that were killed.
func makeTempDir() (string, error) {
	removeAbandoned()
	return os.MkdirTemp("", tempPrefix+strconv.Itoa(os.Getpid())+"-*") // its mode is 0700
}

// removeAbandoned removes the directories of processes that no longer run. Errors are
// ignored: a directory may belong to another user.
func removeAbandoned() {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), tempPrefix)
		digits, _, cut := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(digits)
		if !ok || !cut || err != nil || pid <= 0 || pid == os.Getpid() || !e.IsDir() || isRunning(pid) {
			continue
		}
		_ = os.RemoveAll(filepath.Join(os.TempDir(), e.Name()))
	}
}

// removeTempDir removes a directory. Processes of the browser that are about to end may
// still write there.
func removeTempDir(dir string) error {
	var err error
	for range 50 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}
