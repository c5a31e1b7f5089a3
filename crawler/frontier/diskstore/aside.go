package diskstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// SetAside renames a state file that cannot be used, with what SQLite keeps beside
// it, and returns its new name. Nothing is deleted.
func SetAside(file string) (string, error) {
	stamp := time.Now().Format("20060102-150405")
	name := fmt.Sprintf("%s.%s", file, stamp)
	for n := 2; exists(name); n++ {
		name = fmt.Sprintf("%s.%s-%d", file, stamp, n)
	}
	return name, Move(file, name)
}

// Move renames a state file, with what SQLite keeps beside it. A file of the new
// name is replaced.
func Move(from, to string) error {
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(to + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set the state aside: %w", err)
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(from+suffix, to+suffix); err != nil && (suffix == "" || !errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("set the state aside: %w", err)
		}
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
