// Package filelock keeps two processes from working on the same directory
// or file.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Lock is a lock on a file that one process can hold. It ends with the process, however
// that ends.
type Lock struct{ file *os.File }

// ErrLocked is the error for a lock that another process holds.
var ErrLocked = errors.New("another process is using it")

// Take locks a file, which is created if it does not exist. If another process holds
// the lock, the error is ErrLocked and names that process.
func Take(name string) (*Lock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	held, err := Try(f)
	if err == nil && !held {
		err = fmt.Errorf("%w%s", ErrLocked, holder(f))
	}
	if err == nil {
		err = sign(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return &Lock{f}, nil
}

// sign writes the ID of this process to the file.
func sign(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holder returns text that names the process that signed the file.
func holder(f *os.File) string {
	text := make([]byte, 32)
	n, _ := f.ReadAt(text, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil {
		return ""
	}
	return ": process " + strconv.Itoa(pid)
}

// Release releases the lock.
func (l *Lock) Release() error { return l.file.Close() }
