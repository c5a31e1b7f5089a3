package report

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// file is a report that is being written. It is written to a temporary file next to the
// target, which replaces the target when the report is complete. So a partial report is
// never visible, and a failed run does not change the previous report. Devices and
// pipes cannot be replaced; they are written directly.
type file struct {
	name       string // as the user wrote it
	target     string // the file that is replaced
	temp       *os.File
	direct     bool    // temp is the target
	unresolved string  // the target with symbolic links not resolved
	siblings   []*file // files that are put in place together with it
}

// createFile opens a report file. Relative names are relative to dir.
func createFile(name, dir string) (*file, error) {
	target := name
	if dir != "" && !filepath.IsAbs(name) {
		target = filepath.Join(dir, name)
	}
	place := target
	mode := fs.FileMode(0o666)
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, pathError("create", name, err)
	case info.IsDir():
		return nil, pathError("create", name, errors.New("it is a directory"))
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, pathError("open", name, err)
		}
		return &file{name: name, target: target, temp: f, direct: true}, nil
	default:
		// A file without write permission must not be replaced either.
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, pathError("write", name, err)
		}
		f.Close()
		mode = info.Mode().Perm()
		// Only a link as the last element of the path would be replaced. Other links may
		// be impossible to resolve (junctions on Windows), so they stay in the path.
		if link, err := os.Lstat(target); err == nil && link.Mode()&fs.ModeSymlink != 0 {
			if target, err = filepath.EvalSymlinks(target); err != nil {
				return nil, pathError("write", name, err)
			}
		}
	}
	temp, err := createTemp(target, mode)
	if err != nil {
		return nil, pathError("create", name, err)
	}
	if info != nil {
		if err := temp.Chmod(mode); err != nil {
			temp.Close()
			os.Remove(temp.Name())
			return nil, pathError("create", name, err)
		}
	}
	return &file{name: name, target: target, temp: temp, unresolved: place}, nil
}

// createSibling opens another file in the same directory. It is committed or discarded
// together with f.
func (f *file) createSibling(base string) (*file, error) {
	other, err := createFile(filepath.Join(filepath.Dir(f.unresolved), base), "")
	if err != nil {
		return nil, err
	}
	f.siblings = append(f.siblings, other)
	return other, nil
}

// appendFile opens a file that other programs write to as well, and returns its size.
func appendFile(name, dir string) (*file, int64, error) {
	target := name
	if dir != "" && !filepath.IsAbs(name) {
		target = filepath.Join(dir, name)
	}
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return nil, 0, pathError("open", name, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, pathError("open", name, err)
	}
	return &file{name: name, target: target, temp: f, direct: true}, info.Size(), nil
}

// Appendable returns an error if a report cannot be appended to a file, because the file
// cannot be opened or has no room for a report.
func Appendable(name string) error {
	const least = 2000
	f, size, err := appendFile(name, "")
	if err != nil {
		return err
	}
	f.discard()
	if size > summaryMarkdownSize-least {
		return pathError("append to", name, errors.New("the file has no room for a report"))
	}
	return nil
}

// createTemp creates a temporary file in the directory of target. Unlike those of
// os.CreateTemp, it has the permissions of any new file.
func createTemp(target string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(target)
	if len(base) > 100 {
		base = base[:100] // keeps the temporary name below the length limit of file names
	}
	return os.OpenFile(filepath.Join(dir, "."+base+"."+rand.Text()[:10]+".tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.temp.Write(p)
	if err != nil {
		err = pathError("write", f.name, err)
	}
	return n, err
}

// commit puts the report in place.
func (f *file) commit() error {
	for i, other := range f.siblings {
		if err := other.commit(); err != nil {
			f.siblings = f.siblings[i+1:]
			f.discard()
			return err
		}
	}
	f.siblings = nil
	if f.direct {
		return pathError("write", f.name, f.temp.Close())
	}
	// On some file systems, only Sync reports that the disk is full.
	err := f.temp.Sync()
	if closing := f.temp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.temp.Name(), f.target)
	}
	if err != nil {
		os.Remove(f.temp.Name())
	}
	return pathError("write", f.name, err)
}

// discard removes the report. The target stays as it was.
func (f *file) discard() {
	for _, other := range f.siblings {
		other.discard()
	}
	f.siblings = nil
	f.temp.Close()
	if !f.direct {
		os.Remove(f.temp.Name())
	}
}

// pathError names the file as the user wrote it. It returns nil if err is nil.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", op, name, cause(err))
}

// cause returns what an error of package os says without the operation and the name.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// ReplaceFile replaces the content of a file completely or not at all. The file keeps its
// permissions. If name is a symbolic link, the file it leads to is replaced.
func ReplaceFile(name string, content []byte) error {
	f, err := createFile(name, "")
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		f.discard()
		return err
	}
	return f.commit()
}
