package report

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// file is a report on its way to disk. It grows under a name of its own beside
// the target and takes the target's place when it is whole, so that a reader never
// meets half a report and a failed run leaves the last one alone. Devices and pipes
// cannot be replaced: they are written as they are.
type file struct {
	name   string // as the user gave it
	target string // what is replaced
	temp   *os.File
	plain  bool    // temp is the target itself
	place  string  // the target before links are followed
	others []*file // that take their places together with it
}

// createFile opens a report file. Relative names are under dir.
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
		return &file{name: name, target: target, temp: f, plain: true}, nil
	default:
		// A file that may not be written must not be replaced either.
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, pathError("write", name, err)
		}
		f.Close()
		mode = info.Mode().Perm()
		// Only a link in the last place would be replaced, and not every way to a file can
		// be spelt without links: Windows' junctions stay as they are.
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
	return &file{name: name, target: target, temp: temp, place: place}, nil
}

// beside opens another file in the same directory. It shares f's fate.
func (f *file) beside(base string) (*file, error) {
	other, err := createFile(filepath.Join(filepath.Dir(f.place), base), "")
	if err != nil {
		return nil, err
	}
	f.others = append(f.others, other)
	return other, nil
}

// appendFile opens a file that others write to as well, and tells its size.
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
	return &file{name: name, target: target, temp: f, plain: true}, info.Size(), nil
}

// Appendable tells whether a report can be appended to a file, with room for one.
func Appendable(name string) error {
	const least = 2000
	f, size, err := appendFile(name, "")
	if err != nil {
		return err
	}
	f.discard()
	if size > SummaryMarkdownSize-least {
		return pathError("append to", name, errors.New("it is full"))
	}
	return nil
}

// createTemp makes a file beside target. Unlike os.CreateTemp's it has the
// permissions of any new file.
func createTemp(target string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(target)
	if len(base) > 100 {
		base = base[:100] // leaves room in what a file name may hold
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

// commit puts the report in its place.
func (f *file) commit() error {
	for i, other := range f.others {
		if err := other.commit(); err != nil {
			f.others = f.others[i+1:]
			f.discard()
			return err
		}
	}
	f.others = nil
	if f.plain {
		return pathError("write", f.name, f.temp.Close())
	}
	// Only syncing tells, on some file systems, that the disk was full.
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

// discard drops the report. The target stays as it was.
func (f *file) discard() {
	for _, other := range f.others {
		other.discard()
	}
	f.others = nil
	f.temp.Close()
	if !f.plain {
		os.Remove(f.temp.Name())
	}
}

// pathError names the file as the user knows it; nil stays nil.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", op, name, cause(err))
}

// cause is what an error of package os says beside the operation and the name.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// ReplaceFile puts content in place of a file, whole or not at all. The file keeps
// its permissions; a symbolic link stays one, and what it leads to is replaced.
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
