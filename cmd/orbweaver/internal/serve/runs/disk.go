package runs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Disk is the disk of a data directory. It is safe for concurrent use.
type Disk struct {
	dir string
	mu  sync.Mutex // one probe at a time
}

// probeSize is the space below which a disk counts as full, in bytes: what the database needs for a few
// changes.
const probeSize = 256 << 10

// Writable returns an error if the directory cannot be written, or has no space for probeSize bytes.
// The database alone cannot tell: its log may have room from before.
func (d *Disk) Writable() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := filepath.Join(d.dir, "probe")
	err := os.WriteFile(name, make([]byte, probeSize), 0o600)
	return d.describe(errors.Join(err, removeIfThere(name)))
}

// explain returns why a run failed: an error, or that the disk is full.
func (d *Disk) explain(err error) error {
	if IsFull(err) {
		return d.describe(err)
	}
	if full := d.Writable(); full != nil {
		return full
	}
	return err
}

// describe adds what an error means to the error.
func (d *Disk) describe(err error) error {
	switch {
	case err == nil || strings.HasPrefix(err.Error(), full):
		return err
	case IsFull(err):
		return fmt.Errorf("%s: nothing more can be written to %s: %w", full, d.dir, err)
	}
	return fmt.Errorf("%s cannot be written: %w", d.dir, err)
}

const full = "the disk is full"

// IsFull reports whether an error is that of a full disk.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "database or disk is full")
}
