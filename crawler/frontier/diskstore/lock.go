package diskstore

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Lock keeps other processes from using what lies beside its file. It ends with
// the process, however that ends.
type Lock struct{ file *os.File }

// ErrLocked is what a lock that another process holds is refused with.
var ErrLocked = errors.New("another process is using it")

// TakeLock takes the lock of a file, which is made when it is not there. When
// another process holds it, the error is ErrLocked and names that process.
func TakeLock(name string) (*Lock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	held, err := tryLock(f)
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

// sign writes the process's number into the file.
func sign(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holder names the process that signed the file.
func holder(f *os.File) string {
	text := make([]byte, 32)
	n, _ := f.ReadAt(text, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil {
		return ""
	}
	return ": process " + strconv.Itoa(pid)
}

// Release gives the lock back.
func (l *Lock) Release() error { return l.file.Close() }
