package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// maxAside is the most files that are set aside for the same reason.
const maxAside = 1000

// setAside renames the file and adds a note about it. SQLite's files next to it are
// renamed too, because SQLite would use a remaining journal for the new file. It does
// nothing if another process has already renamed the file.
func (c *Cache) setAside(why string) error {
	if now, err := os.Stat(c.file); err != nil || c.info != nil && !os.SameFile(now, c.info) {
		return nil
	}
	reasons := map[string]string{"damaged": "is damaged", "newer": "was written by a newer version of orbweaver"}
	for n := 1; n <= maxAside; n++ {
		to := c.file + "." + why
		if n > 1 {
			to = fmt.Sprintf("%s-%d", to, n)
		}
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for _, beside := range []string{"-journal", "-wal", "-shm"} {
			if err := os.Rename(c.file+beside, to+beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("set %s aside: %w", c.file+beside, withoutLinkPath(err))
			}
		}
		if err := os.Rename(c.file, to); err != nil {
			return fmt.Errorf("set it aside: %w", withoutLinkPath(err))
		}
		c.notes = append(c.notes, fmt.Sprintf("%s %s: it was set aside as %s, and this run starts without it", c.file, reasons[why], to))
		return nil
	}
	return fmt.Errorf("set it aside: there are already %d such files; remove %s.%s*", maxAside, c.file, why)
}

// withoutLinkPath returns the cause of an error of os.Rename.
func withoutLinkPath(err error) error {
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
