package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Causes of local faults, as shown to users.
var (
	errNoFile      = errors.New("there is no such file")
	errNoIndex     = errors.New("the directory has no index.html")
	errNotDir      = errors.New("it is a file, not a directory")
	errLetterCase  = errors.New("the name differs in letter case")
	errDangling    = errors.New("it is a symbolic link to a file that does not exist")
	errLinkLoop    = errors.New("it is part of a loop of symbolic links")
	errOutside     = errors.New("it is outside the checked directory")
	errSpecial     = errors.New("it is neither a file nor a directory")
	errEncodedPath = errors.New("a file name cannot contain an encoded slash or NUL")
	errPermission  = errors.New("permission denied")
)

// rootTree is a directory whose files are accessed without leaving it. It is an os.Root
// that also follows absolute symbolic links if they lead back inside, which os.Root
// refuses. Names are separated by slashes; "" is the directory itself.
type rootTree struct {
	root     *os.Root
	openDirs *openDirs
}

func (t rootTree) Open(name string) (*os.File, error) { return withinRoot(t, name, t.root.Open) }
func (t rootTree) List(dir string) (*os.File, error) {
	if f, err := t.openDirs.list(dir, filepath.Join(t.root.Name(), filepath.FromSlash(dir))); err == nil {
		return f, nil
	}
	return t.Open(dir)
}
func (t rootTree) Stat(name string) (fs.FileInfo, error) {
	return withinRoot(t, name, t.root.Stat)
}
func (t rootTree) Lstat(name string) (fs.FileInfo, error) {
	return withinRoot(t, name, t.root.Lstat)
}

// withinRoot applies a method of an os.Root to a name. If the os.Root refuses because a
// link leads outside, withinRoot tries again with all links resolved.
func withinRoot[T any](t rootTree, name string, method func(string) (T, error)) (T, error) {
	if name == "" {
		name = "."
	}
	result, err := method(filepath.FromSlash(name))
	if isEscape(err) {
		if real, ok := t.real(name); ok {
			return method(real)
		}
	}
	return result, err
}

// real resolves all symbolic links in rel and returns the result if it is inside. The
// result is only a name, which is opened through the os.Root again.
func (t rootTree) real(rel string) (string, bool) {
	base, err := filepath.EvalSymlinks(t.root.Name())
	if err != nil {
		return "", false
	}
	if base, err = filepath.Abs(base); err != nil {
		return "", false
	}
	target, err := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(rel)))
	if err != nil {
		return "", false
	}
	inside, err := filepath.Rel(base, target)
	if err != nil || !filepath.IsLocal(inside) {
		return "", false
	}
	return inside, true
}

// openFile opens a regular file or returns the fault that prevents it. path is for the
// text of the fault.
func openFile(t tree, name, path string) (*os.File, fs.FileInfo, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, nil, fileFault("open", path, err)
	}
	info, err := f.Stat()
	if err == nil && !isRegular(info.Mode()) {
		err = errSpecial
	}
	if err != nil {
		f.Close()
		return nil, nil, fileFault("open", path, err)
	}
	return f, info, nil
}

// fileFault classifies an error of the file system.
func fileFault(op, path string, err error) *fetch.Fault {
	f := &fetch.Fault{Kind: "file-unreadable", Op: op, Target: path, Requests: 1}
	switch {
	case fetch.FileLimit(err) != nil:
		f.Local, f.Retry, f.Err = true, true, fetch.FileLimit(err)
	case isEscape(err):
		f.Kind, f.Err = "file-outside-root", errOutside
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), onWindows && isInvalidName(err):
		f.Kind, f.Err = "file-missing", errNoFile
	case errors.Is(err, fs.ErrPermission):
		f.Err = errPermission
	case isLinkLoop(err):
		f.Err = errLinkLoop
	default:
		var pathError *fs.PathError
		if errors.As(err, &pathError) {
			err = pathError.Err
		}
		f.Err = err
	}
	return f
}

// isInvalidName reports whether Windows refused a name that no file can have there. The
// syscall package does not treat these errors as "file not found".
func isInvalidName(err error) bool {
	const (
		invalidDrive  = 15
		invalidName   = 123 // contains a character such as '?'
		badPathname   = 161
		nameTooLong   = 206
		notADirectory = 267
	)
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return false
	}
	switch errno {
	case invalidDrive, invalidName, badPathname, nameTooLong, notADirectory:
		return true
	}
	return false
}

// isEscape reports whether an os.Root refused to leave its directory. The error is not
// exported; a test checks its text.
func isEscape(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "path escapes from parent")
}

func isLinkLoop(err error) bool {
	const unresolved = 1921 // the error number on Windows
	var errno syscall.Errno
	return errors.Is(err, syscall.ELOOP) || onWindows && errors.As(err, &errno) && errno == unresolved
}

// fileBody reads a local file. It stops at the size that the file had when it was
// opened, which saves the read that would find its end.
type fileBody struct {
	file io.ReadCloser
	path string
	left int64 // -1 if the size is unreliable
}

func newFileBody(f io.ReadCloser, path string, size int64) *fileBody {
	if size == 0 {
		size = -1
	}
	return &fileBody{file: f, path: path, left: size}
}

func (b *fileBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if b.left > 0 && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.file.Read(p)
	if b.left > 0 {
		b.left -= int64(n)
	}
	if err != nil && err != io.EOF {
		err = fileFault("read", b.path, err)
	}
	return n, err
}

func (b *fileBody) Close() error { return b.file.Close() }
