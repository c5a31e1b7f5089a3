package diskstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// SetAside renames a state file that cannot be used, together with the files that SQLite
// keeps next to it, and returns the new name.
func SetAside(file string) (string, error) {
	stamp := time.Now().Format("20060102-150405")
	name := fmt.Sprintf("%s.%s", file, stamp)
	for n := 2; exists(name); n++ {
		name = fmt.Sprintf("%s.%s-%d", file, stamp, n)
	}
	return name, Move(file, name)
}

// Move renames a state file, together with the files that SQLite keeps next to it. A
// state file with the new name is replaced.
func Move(from, to string) error {
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(to + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rename the state: %w", err)
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(from+suffix, to+suffix); err != nil && (suffix == "" || !errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("rename the state: %w", err)
		}
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
