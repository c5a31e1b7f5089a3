package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

func TestFiles(t *testing.T) {
	dir := writeTree(t, "Page.html=hello", "a b#c.txt=x", "sub/", "100%.html=y")
	if err := os.Symlink("Page.html", filepath.Join(dir, "link.html")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling.html")); err != nil {
		t.Fatal(err)
	}
	files := new(Files)
	for _, row := range []struct{ name, want, path string }{
		{"Page.html", "hello", "Page.html"},
		{"Page.html?q#f", "hello", "Page.html"},
		{"a%20b%23c.txt", "x", "a b#c.txt"},
		{"100%.html", "y", "100%.html"},
		{"link.html", "hello", "link.html"},
		{"sub", "", "sub"},
		{"sub/", "", "sub"},
		{"page.html", "file-case", "Page.html"},
		{"Sub/", "file-case", "sub"},
		{"gone.html", "file-missing", ""},
		{"gone/gone.html", "file-missing", ""},
		{"Page.html/x", "file-missing", ""},
		{"dangling.html", "file-missing", ""},
		{"a%2Fb", "file-missing", ""},
	} {
		if runtime.GOOS == "windows" && row.name == "dangling.html" {
			continue
		}
		u := mustParse(t, fileURL(dir)+"/"+row.name)
		resp, text, err := ask(t, files, &fetch.Request{URL: u, Need: fetch.Content})
		var f *fetch.Fault
		if errors.As(err, &f) {
			if f.Kind != row.want || row.path != "" && f.Hint != filepath.Join(dir, row.path) {
				t.Errorf("%s: %v, hint %q", row.name, err, f.Hint)
			}
			continue
		}
		if err != nil || text != row.want || filepath.Clean(resp.Path) != filepath.Join(dir, row.path) || resp.Modified.IsZero() || resp.Requests != 1 {
			t.Errorf("%s: %+v %q, %v", row.name, resp, text, err)
		}
		if path, err := FilePath(u); err != nil || path != resp.Path {
			t.Errorf("%s: FilePath %q, %v", row.name, path, err)
		}
		if resp, _, err := ask(t, files, &fetch.Request{URL: u}); err != nil || resp.Body != nil {
			t.Errorf("%s: existence: %+v, %v", row.name, resp, err)
		}
	}
	_, err := files.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "file://other.example/x")})
	if kindOfError(err) != "file-unreadable" || !strings.HasSuffix(err.Error(), "the file is on another host") {
		t.Error(err)
	}
	if _, err := FilePath(mustParse(t, "file://other.example/x")); err == nil {
		t.Error("another host's file has a path here")
	}
	if resp, err := files.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "file:///")}); runtime.GOOS != "windows" && (err != nil || resp.Path != "/") {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestFileURL(t *testing.T) {
	dir := writeTree(t, "100% #?a b|[ü].html", "raw\xff", "sub/")
	for _, name := range []string{"100% #?a b|[ü].html", "raw\xff", "sub", "sub/"} {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			path += string(filepath.Separator)
		}
		u, err := FileURL(path)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := FilePath(u); err != nil || back != path {
			t.Errorf("%q became %s and %q, %v", path, u, back, err)
		}
		if _, err := new(Files).Fetch(t.Context(), &fetch.Request{URL: u}); err != nil {
			t.Error(err)
		}
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"": wd, "x.html": filepath.Join(wd, "x.html")} {
		u, err := FileURL(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := FilePath(u); err != nil || got != want {
			t.Errorf("%q became %q, %v", path, got, err)
		}
	}
}

// After its context ends, each Fetcher returns the context's error.
func TestCanceledFetchers(t *testing.T) {
	dir := writeTree(t, "index.html")
	site := openSite(t, "https://example.com/", dir, hostAuto)
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	for name, f := range map[string]fetch.Fetcher{"site": site, "file": new(Files)} {
		if _, err := f.Fetch(ctx, &fetch.Request{URL: mustParse(t, "https://example.com/")}); err != stopped {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Names beyond the limit of a listing are looked up one by one.
func TestHugeDirectory(t *testing.T) {
	var files []string
	for i := range 3 * readDirBatch {
		files = append(files, fmt.Sprintf("big/%d.html", i))
	}
	dir := writeTree(t, append(files, "index.html")...)
	if err := os.Symlink("1.html", filepath.Join(dir, "big", "link.html")); err != nil {
		t.Fatal(err)
	}
	site := openSite(t, "https://example.com/", dir, hostAuto)
	site.locator.index.maxListing = 10
	for i := range 3 * readDirBatch {
		if got, want := answerOf(t, site, dir, fmt.Sprintf("https://example.com/big/%d.html", i)), fmt.Sprintf("big/%d.html", i); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	if !site.locator.index.list("big").partial {
		t.Error("the whole directory was cached")
	}
	for url, want := range map[string]string{"big/gone.html": "file-missing", "big/link.html": ""} {
		resp, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "https://example.com/"+url)})
		if kindOfError(err) != want {
			t.Errorf("%s: %+v, %v", url, resp, err)
		}
	}
}

// The listings of many directories stay within the limit.
func TestManyDirectories(t *testing.T) {
	var files []string
	for i := range 50 {
		files = append(files, fmt.Sprintf("%d/a.html", i), fmt.Sprintf("%d/b.html", i))
	}
	dir := writeTree(t, append(files, "index.html")...)
	site := openSite(t, "https://example.com/", dir, hostAuto)
	site.locator.index.maxNames = 60
	for range 2 {
		for _, file := range files {
			if got := answerOf(t, site, dir, "https://example.com/"+file); got != file {
				t.Fatalf("%s became %s", file, got)
			}
		}
	}
	if site.locator.index.names > 60+51 {
		t.Errorf("%d names are cached", site.locator.index.names)
	}
}

// Unreadable directories are reported at the end of a walk, which covers the rest.
func TestWalkContinues(t *testing.T) {
	deep := strings.Repeat("d/", maxWalkDepth+2)
	dir := writeTree(t, "a.html", deep+"deep.html", "z.html")
	site := openSite(t, "https://example.com/", dir, hostAuto)
	var names []string
	err := site.Walk(nil, func(rel string, _ fs.DirEntry) error { names = append(names, rel); return nil })
	if err == nil || !strings.Contains(err.Error(), "directories are nested too deeply") || !slices.Equal(names, []string{"a.html", "z.html"}) {
		t.Errorf("%q, %v", names, err)
	}
}

func TestFileThatShrinks(t *testing.T) {
	dir := writeTree(t, "a.html="+strings.Repeat("x", 100), "empty.html")
	if err := os.Truncate(filepath.Join(dir, "empty.html"), 0); err != nil {
		t.Fatal(err)
	}
	site := openSite(t, "https://example.com/", dir, hostAuto)
	resp, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "https://example.com/a.html"), Need: fetch.Content})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "a.html"), 10); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(resp.Body); err != nil || len(text) != 10 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	resp.Body.Close()
	if _, err := resp.Body.Read(make([]byte, 1)); err == nil || kindOfError(err) != "file-unreadable" {
		t.Errorf("a closed file was read: %v", err)
	}
	if _, text, err := ask(t, site, &fetch.Request{URL: mustParse(t, "https://example.com/empty.html"), Need: fetch.Content}); err != nil || text != "" {
		t.Errorf("%q, %v", text, err)
	}
}

func FuzzSitePath(f *testing.F) {
	for _, path := range []string{"", "a", "a/", "%41", "..%2f", "a%00", "%", "a//b", "ü", "A", ".", "%2e%2e/x", "dir/"} {
		f.Add(path)
	}
	dir := writeTree(f, "index.html", "a", "dir/index.html", "ü.html", "%41")
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		f.Fatal(err)
	}
	site := openSite(f, "https://example.com/", dir, hostAuto)
	f.Fuzz(func(t *testing.T, path string) {
		u, err := site.URLOf(path)
		if err != nil {
			return
		}
		for _, u := range []string{u.String(), "https://example.com/" + path} {
			parsed, _, err := urinorm.ParseWeb(u)
			if err != nil || !site.Holds(parsed) {
				continue
			}
			resp, err := site.Fetch(t.Context(), &fetch.Request{URL: parsed})
			var fault *fetch.Fault
			if err != nil && !errors.As(err, &fault) {
				t.Errorf("%q: %v", u, err)
			}
			if err == nil && resp.Status == 0 && !strings.HasPrefix(resp.Path, dir+string(filepath.Separator)) {
				t.Errorf("%q leads to %s", u, resp.Path)
			}
		}
	})
}

// The functions for the Windows forms of file: URLs are tested on all systems.
func TestWindowsFileURLs(t *testing.T) {
	for _, row := range []struct {
		url, windows, elsewhere string // the path, or "!" and part of the error
	}{
		{"file:///C:/dir/a%20b.txt", `C:\dir\a b.txt`, "/C:/dir/a b.txt"},
		{"file:///c:/dir/", `c:\dir\`, "/c:/dir/"},
		{"file:///C|/dir/x", `C:\dir\x`, "/C:/dir/x"},
		{"file:C:/x", `C:\x`, "/C:/x"},
		{"file:/C:/x", `C:\x`, "/C:/x"},
		{"file://localhost/C:/x", `C:\x`, "/C:/x"},
		{`file:\\\C:\dir\x`, `C:\dir\x`, "/C:/dir/x"},
		{"file:///C:", `C:\`, "/C:"},
		{"file:///C:/", `C:\`, "/C:/"},
		{"file:///C%3A/x", `C:\x`, "/C:/x"},
		{"file:///C:/%2541", `C:\%41`, "/C:/%41"},
		{"file:///C://a///b", `C:\a\b`, "/C:/a/b"},
		{"file:///C:x", "!it has no drive letter", "/C:x"},
		{"file:///C:/x:stream", "!no such file", "/C:/x:stream"},
		{"file:///C:/x::$DATA", "!no such file", "/C:/x::$DATA"},
		{"file:///dir/x", "!it has no drive letter", "/dir/x"},
		{"file:///", "!it has no drive letter", "/"},
		{"file:///CC:/x", "!it has no drive letter", "/CC:/x"},
		{"file:///1:/x", "!it has no drive letter", "/1:/x"},
		{"file:///C:/a%5Cb", "!encoded slash", `/C:/a\b`},
		{"file:///C:/a%2Fb", "!encoded slash", "!encoded slash"},
		{"file:///C:/a%00", "!encoded slash", "!encoded slash"},
		{"file://server/share/x", "!another host", "!another host"},
		{`file:\\server\share\x`, "!another host", "!another host"},
		{"file:////server/share/x", "!another host", "/server/share/x"},
		{"file://///server/share/x", "!another host", "/server/share/x"},
		{"file:////C:/x", `C:\x`, "/C:/x"},
		{"file:////%3F/C:/x", "!another host", "/?/C:/x"},
		{"file:////./C:/x", `C:\x`, "/C:/x"},
	} {
		u := mustParse(t, row.url)
		for windows, want := range map[bool]string{true: row.windows, false: row.elsewhere} {
			if !windows && runtime.GOOS == "windows" {
				continue // the separator of the other system
			}
			name, err := diskName(u, windows)
			got := systemPath(name, windows)
			if words, wrong := strings.CutPrefix(want, "!"); wrong {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("%s, windows %v: %q, %v; want %s", row.url, windows, got, err, words)
				}
			} else if err != nil || got != want {
				t.Errorf("%s, windows %v: %q, %v; want %q", row.url, windows, got, err, want)
			}
		}
	}
}

// The functions for names that Windows changes or provides are tested on all systems.
func TestWindowsNames(t *testing.T) {
	for path, want := range map[string]bool{"C:/a.txt": false, "C:/a.txt.": true, "C:/a.txt ": true, "C:/dir./a.txt": true, "C:/.a/b c": false} {
		if got := endsInDot(path); got != want {
			t.Errorf("%q ends in a dot: %t, want %t", path, got, want)
		}
	}
	for errno, want := range map[syscall.Errno]bool{2: false, 5: false, 15: true, 123: true, 206: true, 267: true} {
		if got := isInvalidName(&fs.PathError{Err: errno}); got != want {
			t.Errorf("%d means an invalid name: %t, want %t", uintptr(errno), got, want)
		}
	}
	for mode, want := range map[fs.FileMode]entryKind{
		0o644:                            entryFile,
		fs.ModeDir:                       entryDir,
		fs.ModeDir | fs.ModeIrregular:    entryDir,
		fs.ModeIrregular:                 entryLink,
		fs.ModeSymlink:                   entryLink,
		fs.ModeDevice | fs.ModeIrregular: entrySpecial,
	} {
		if got := kindOf(mode); got != want {
			t.Errorf("%v is of kind %d, want %d", mode, got, want)
		}
	}
}
