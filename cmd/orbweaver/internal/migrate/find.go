package migrate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// File is a file with settings of a link checker.
type File struct {
	Name   string // with / between directories
	Config *Config
}

// lycheeFiles are the files that lychee looks for. The first one that has settings applies.
var lycheeFiles = []string{"lychee.toml", "Cargo.toml", "pyproject.toml", "package.json"}

// Find reads the files in a directory that have settings of link checkers: their own files,
// the ignore files beside them, and the makefiles and workflows that run them. It returns
// them in order of precedence, lowest first: what a command sets takes precedence over files.
// What was found and could not be read is returned as skipped.
func Find(dir fs.FS) (found []File, skipped []Skipped) {
	lychee := ""
	for _, f := range formats {
		for _, pattern := range f.files {
			names, _ := fs.Glob(dir, pattern) // the patterns are ours
			for _, name := range names {
				text, err := readRegular(dir, name)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				var c *Config
				if err == nil {
					c, err = Read(name, text)
				}
				if err != nil {
					skipped = append(skipped, Skipped{Option: name, Reason: strings.TrimPrefix(err.Error(), "read "+name+" ")})
				} else if c.Program != "" {
					found = append(found, File{name, c})
				}
			}
		}
	}
	// Only one of lychee's files applies. The commands in package.json apply in any case.
	for _, name := range lycheeFiles {
		if at := slices.IndexFunc(found, func(f File) bool { return f.Name == name && f.Config.Program == "lychee" }); at >= 0 {
			if lychee == "" {
				lychee = name
			} else {
				skipped = append(skipped, Skipped{Option: name, Reason: "lychee does not read it, because there is " + lychee})
				found = slices.Delete(found, at, at+1)
			}
		}
	}
	for _, u := range unread {
		names, _ := fs.Glob(dir, u.Option)
		for _, name := range names {
			skipped = append(skipped, Skipped{Option: name, Reason: u.Reason})
		}
	}
	return found, skipped
}

// Beside returns the names of the ignore files that the other program reads together with a
// file.
func Beside(name string) []string {
	if slices.Contains(lycheeFiles, path.Base(name)) {
		return []string{path.Join(path.Dir(name), ".lycheeignore")}
	}
	return nil
}

// readRegular reads a file that is not a pipe or a device, up to MaxSize.
func readRegular(dir fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(dir, name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fs.ErrNotExist
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err == nil && len(text) > MaxSize {
		err = fmt.Errorf("it is larger than %d bytes", MaxSize)
	}
	return text, err
}
