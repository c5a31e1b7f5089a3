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

	"github.com/orbweaver/orbweaver/crawler/internal/versions"
	"golang.org/x/sys/unix"
)

// openDirs keeps directories open while their files are read, so that opening a file
// takes one openat instead of one for each directory above it. Directories are opened
// through the os.Root, and names in them without following links, so every file that
// openDirs opens is inside the root. Files that it cannot open this way are left to the
// os.Root.
type openDirs struct {
	root *os.Root

	mu    sync.Mutex
	byDir map[string]*openDir
	order []string // in the order of opening
}

type openDir struct {
	file    *os.File
	fd      int
	users   int
	dropped bool
}

// maxOpenDirs is the maximum number of directories that stay open.
const maxOpenDirs = 16

func newOpenDirs(root *os.Root) *openDirs {
	return &openDirs{root: root, byDir: map[string]*openDir{}}
}

// acquire returns an open directory, which release gives back.
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

// open opens a directory. If its parent is open, it uses the name within the parent,
// without following a link. Callers hold mu.
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
			at := slices.Index(f.order, above) // other directories in it will probably follow
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

// drop closes the directory as soon as it is no longer in use. Callers hold mu.
func (d *openDir) drop() {
	if d.dropped = true; d.users == 0 {
		d.file.Close()
	}
}

// close releases all directories.
func (f *openDirs) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.byDir {
		d.drop()
	}
	f.byDir, f.order = map[string]*openDir{}, nil
}

// openFile opens a regular file. ok is false for all other names and for errors.
func (f *openDirs) openFile(name string) (file fdFile, version versions.File, ok bool) {
	dir, base := cutBase(name)
	d, err := f.acquire(dir)
	if err != nil {
		return file, version, false
	}
	defer f.release(d)
	fd, err := retryEINTR(func() (int, error) {
		return unix.Openat(d.fd, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return file, version, false
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		unix.Close(fd)
		return file, version, false
	}
	return fdFile(fd), versionOf(&st), true
}

func versionOf(st *unix.Stat_t) versions.File {
	return versions.File{Size: st.Size, Modified: time.Unix(st.Mtim.Unix()), Changed: time.Unix(st.Ctim.Unix()), Inode: uint64(st.Ino)}
}

// stat returns the mode of a name in a directory, and a tag of its version; both are zero if follow is
// set and the name is a link that leads nowhere. ok is false for other errors, and for a version that a
// run which began at a time cannot know (versions.File.Validators).
func (f *openDirs) stat(dir, name string, follow bool, began time.Time) (mode uint32, tag string, ok bool) {
	d, err := f.acquire(dir)
	if err != nil {
		return 0, "", false
	}
	defer f.release(d)
	flags := unix.AT_SYMLINK_NOFOLLOW
	if follow {
		flags = 0
	}
	var st unix.Stat_t
	if _, err := retryEINTR(func() (int, error) { return 0, unix.Fstatat(d.fd, name, &st, flags) }); err != nil {
		return 0, "", follow
	}
	tag = versionOf(&st).Validators(began).ETag
	return uint32(st.Mode), tag, tag != ""
}

// list opens a directory for listing. A directory opened by an os.Root would query the
// file system for the kind of each entry, which the listing already contains.
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

// fdFile is the file descriptor of a regular file.
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

// retryEINTR repeats a call that a signal has interrupted.
func retryEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}
