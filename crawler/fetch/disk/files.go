package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Files answers file: URLs (RFC 8089) from the disk of this machine, for the links of a
// single document to other files. A directory exists but has no body. The zero value is
// ready to use and safe for concurrent use.
//
// Faults have the kinds file-missing, file-case (Hint is the correct path) and
// file-unreadable.
type Files struct {
	Types         fetch.Types // media types of files by their extensions
	Preprocessors Preprocessors

	once  sync.Once
	index *directoryIndex // to compare letter case; its size is limited
}

// fileSystem is the whole file system. Names are separated by slashes and "" is the
// root. On Windows a name begins with a volume.
type fileSystem struct{}

func (fileSystem) path(name string) string { return systemPath(name, onWindows) }

const onWindows = runtime.GOOS == "windows"

// systemPath converts a name to a path of the operating system.
func systemPath(name string, windows bool) string {
	if !windows {
		return "/" + name
	}
	if strings.IndexByte(name, '/') < 0 {
		name += "/" // "C:" alone is the current directory on that volume
	}
	return strings.ReplaceAll(name, "/", `\`)
}

func (d fileSystem) Open(name string) (*os.File, error)     { return os.Open(d.path(name)) }
func (d fileSystem) List(dir string) (*os.File, error)      { return d.Open(dir) }
func (d fileSystem) Stat(name string) (fs.FileInfo, error)  { return os.Stat(d.path(name)) }
func (d fileSystem) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(d.path(name)) }

// ErrNoDrive is the reason why a file: URL from another system has no path on Windows.
var ErrNoDrive = errors.New("it has no drive letter")

// ErrOtherHost is the reason why a file: URL with a host other than localhost is not opened.
var ErrOtherHost = errors.New("the file is on another host")

// Fetch opens the file that the URL names.
func (f *Files) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	name, err := nameOfFileURL(req.URL)
	if err != nil {
		kind := "file-missing"
		if errors.Is(err, ErrOtherHost) {
			kind = "file-unreadable"
		}
		return nil, &fetch.Fault{Kind: kind, Op: "open", Target: req.URL.Printed(), Err: err, Requests: 1}
	}
	f.once.Do(func() { f.index = newDirectoryIndex(fileSystem{}) })
	path := fileSystem{}.path(name)
	info, err := os.Stat(path)
	if err != nil {
		fault := fileFault("open", path, err)
		if fault.Kind == "file-missing" {
			if at := f.walk(name); at.folded {
				return nil, caseFault(path, at)
			}
		}
		return nil, fault
	}
	if onWindows || runtime.GOOS == "darwin" {
		// The file system accepts other spellings of a name.
		if onWindows && endsInDot(name) {
			return nil, fileFault("open", path, fs.ErrNotExist)
		}
		if at := f.walk(name); at.folded {
			return nil, caseFault(path, at)
		}
	}
	resp := &fetch.Response{Size: -1, Modified: info.ModTime(), Requests: 1, Path: path}
	if info.IsDir() {
		return resp, nil
	}
	if !isRegular(info.Mode()) {
		return nil, fileFault("open", path, errSpecial)
	}
	body, info, err := openFile(fileSystem{}, name, path)
	if err != nil {
		return nil, err
	}
	resp.Size, resp.ContentType = info.Size(), f.Types.Of(name)
	if req.Need == fetch.Existence {
		body.Close()
		return resp, nil
	}
	resp.Body = newFileBody(body, path, info.Size())
	if len(f.Preprocessors) > 0 {
		media, _ := f.Types.Set(name)
		return f.Preprocessors.apply(ctx, resp, media)
	}
	return resp, nil
}

func caseFault(path string, at location) *fetch.Fault {
	return &fetch.Fault{Kind: "file-case", Op: "open", Target: path, Hint: fileSystem{}.path(at.rel), Err: errLetterCase, Requests: 1}
}

// walk looks up each name of a path. It stops at a directory that cannot be listed;
// then letter case is not reported.
func (f *Files) walk(name string) location {
	from, rel := "", strings.TrimSuffix(name, "/")
	if onWindows {
		from, rel, _ = strings.Cut(rel, "/")
	}
	return f.index.walk(from, rel, matchFold)
}

// nameOfFileURL returns the name of a file: URL's file on this machine.
func nameOfFileURL(u urinorm.URL) (string, error) { return diskName(u, onWindows) }

// diskName decodes the path of a file: URL once (RFC 8089 section 2). On Windows a name
// begins with a drive letter (appendix E.2). Names on another machine, such as the UNC
// forms file://host/share and file:////host/share (appendix E.3), are never opened,
// because Windows would log in there with the user's account.
//
//	file:///C:/dir/a%20b.txt  C:/dir/a b.txt
//	file:///c|/dir/           c:/dir/          (the URL Standard corrects it)
//	file:///C:dir             error: it depends on the current directory
//	file:///C:/a.txt:stream   error: it names part of a file
func diskName(u urinorm.URL, windows bool) (string, error) {
	if host := u.Host(); host != "" && host != "localhost" {
		return "", ErrOtherHost
	}
	path := u.Path()
	if windows && strings.HasPrefix(path, "//") && !isDrive(strings.TrimLeft(path, "/")) {
		return "", ErrOtherHost
	}
	name, ok := decodePath(strings.TrimLeft(path, "/"))
	if !ok || windows && strings.IndexByte(name, '\\') >= 0 {
		return "", errEncodedPath
	}
	if windows && !isDrive(name) {
		return "", ErrNoDrive
	}
	if windows && strings.IndexByte(name[2:], ':') >= 0 {
		return "", errNoFile
	}
	return collapseSlashes(name), nil
}

// endsInDot reports whether a name in a path ends in a dot or a blank, which Windows
// removes.
func endsInDot(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
			return true
		}
	}
	return false
}

// isDrive reports whether a path is a drive ("C:") or begins with one ("C:/").
func isDrive(path string) bool {
	return len(path) >= 2 && 'a' <= path[0]|0x20 && path[0]|0x20 <= 'z' && path[1] == ':' && (len(path) == 2 || path[2] == '/')
}

// FilePath returns the path on this machine that a file: URL names, decoded once. It
// returns an error for files on another host and for escapes that no file name can
// contain.
func FilePath(u urinorm.URL) (string, error) {
	name, err := nameOfFileURL(u)
	if err != nil {
		return "", err
	}
	return fileSystem{}.path(name), nil
}

// FileURL returns the file: URL of a path on this machine (RFC 8089 section 2). A
// trailing separator is kept. A relative path is relative to the working directory.
func FileURL(path string) (urinorm.URL, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return urinorm.URL{}, err
	}
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a Windows volume
	}
	if path != "" && os.IsPathSeparator(path[len(path)-1]) && !strings.HasSuffix(slashed, "/") {
		slashed += "/"
	}
	u, _, err := urinorm.ParseWeb("file://" + EscapePath(slashed))
	return u, err
}
