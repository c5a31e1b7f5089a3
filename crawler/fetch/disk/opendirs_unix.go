//go:build unix

package disk

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// openDirs holds open the directories whose files are being read, so that a file
// costs one openat and not one for each directory above it. A directory comes from
// the os.Root, and a name in it is opened without following a link: what this opens
// is inside. What it cannot, is left to the os.Root.
type openDirs struct {
	root *os.Root

	mu    sync.Mutex
	byDir map[string]*openDir
	order []string // as they were opened
}

type openDir struct {
	file    *os.File
	fd      int
	users   int
	dropped bool
}

// maxOpenDirs bounds how many directories are held open.
const maxOpenDirs = 16

func newOpenDirs(root *os.Root) *openDirs {
	return &openDirs{root: root, byDir: map[string]*openDir{}}
}

// acquire returns an open directory; leave gives it back.
func (f *openDirs) acquire(dir string) (*openDir, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.byDir[dir]; d != nil {
		d.users++
		return d, nil
	}
	file, err := f.open(dir)
	if err != nil {
		return nil, err
	}
	if len(f.order) == maxOpenDirs {
		oldest := f.byDir[f.order[0]]
		delete(f.byDir, f.order[0])
		f.order = append(f.order[:0], f.order[1:]...)
		oldest.drop()
	}
	d := &openDir{file: file, fd: int(file.Fd()), users: 1}
	f.byDir[dir] = d
	f.order = append(f.order, dir)
	return d, nil
}

// open opens a directory: where the one it lies in is open, by its name there,
// again without following a link. Callers hold mu.
func (f *openDirs) open(dir string) (*os.File, error) {
	if dir == "" {
		return f.root.Open(".")
	}
	above, base := cutBase(dir)
	if d := f.byDir[above]; d != nil && base != ".." {
		fd, err := retryEINTR(func() (int, error) {
			return unix.Openat(d.fd, base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		})
		if err == nil {
			at := slices.Index(f.order, above) // its other directories will be asked for, too
			f.order = append(slices.Delete(f.order, at, at+1), above)
			return os.NewFile(uintptr(fd), dir), nil
		}
	}
	return f.root.Open(filepath.FromSlash(dir))
}

// cutBase splits a path at its last slash.
func cutBase(path string) (dir, base string) {
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		return path[:slash], path[slash+1:]
	}
	return "", path
}

func (f *openDirs) release(d *openDir) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d.users--; d.users == 0 && d.dropped {
		d.file.Close()
	}
}

// drop closes the directory when nobody uses it any more. Callers hold mu.
func (d *openDir) drop() {
	if d.dropped = true; d.users == 0 {
		d.file.Close()
	}
}

// close lets go of all directories.
func (f *openDirs) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.byDir {
		d.drop()
	}
	f.byDir, f.order = map[string]*openDir{}, nil
}

// openFile opens a regular file; ok is false for whatever else there is to say.
func (f *openDirs) openFile(name string) (file fdFile, size int64, modified time.Time, ok bool) {
	dir, base := cutBase(name)
	d, err := f.acquire(dir)
	if err != nil {
		return file, 0, modified, false
	}
	defer f.release(d)
	fd, err := retryEINTR(func() (int, error) {
		return unix.Openat(d.fd, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return file, 0, modified, false
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		unix.Close(fd)
		return file, 0, modified, false
	}
	return fdFile(fd), st.Size, time.Unix(st.Mtim.Unix()), true
}

// list opens a directory for listing. An os.Root's own directory asks the file
// system for the kind of each entry, although the listing tells it; this one does
// not.
func (f *openDirs) list(dir, path string) (*os.File, error) {
	d, err := f.acquire(dir)
	if err != nil {
		return nil, err
	}
	defer f.release(d)
	fd, err := retryEINTR(func() (int, error) {
		return unix.Openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// fdFile is a file descriptor of a regular file.
type fdFile int

func (f fdFile) Read(p []byte) (int, error) {
	n, err := retryEINTR(func() (int, error) { return unix.Read(int(f), p) })
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f fdFile) Close() error { return unix.Close(int(f)) }

// retryEINTR repeats a call that a signal interrupted.
func retryEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}
