package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"page.html", "docs/a.html", "docs/b.htm", "docs/logo.png", "docs/deep/c.html", "www.example.org", "a[1].html", "check"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("<a href=x>"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		raw  string
		want string // kind and value, for each target
		note string
	}{
		{"https://Example.com/a", "website https://example.com/a", ""},
		{"HTTP://example.com", "website http://example.com/", ""},
		{"page.html", "document page.html", ""},
		{"docs", "directory docs", ""},
		{"docs/", "directory docs/", ""},
		{"-", "stdin -", ""},
		{"docs/*", "document docs/a.html, document docs/b.htm", ""},
		{"docs/**/*.html", "document docs/a.html, document docs/deep/c.html", ""},
		{"docs/*.png", "document docs/*.png", "docs/*.png matches 1 file, but none has a format that can be read for links"},
		{"docs/*.md", "document docs/*.md", "no file matches docs/*.md"},
		{"a[1].html", "document a[1].html", ""},
		{"www.example.com", "website https://www.example.com/", "no file www.example.com: checking https://www.example.com"},
		{"WWW.example.com/x?y", "website https://www.example.com/x?y", "checking https://"},
		{"www.example.org", "document www.example.org", ""},
		{"localhost:8080", "website http://localhost:8080/", "no file localhost:8080: checking http://localhost:8080"},
		{"LOCALHOST:8080/x", "website http://localhost:8080/x", "checking http://"},
		{"127.0.0.1:8080/x?y", "website http://127.0.0.1:8080/x?y", "checking http://"},
		{"[::1]:8080", "website http://[::1]:8080/", "checking http://"},
		{"localhost:", "document localhost:", ""},
		{"example.com:8080", "document example.com:8080", ""},
		{"gone.html", "document gone.html", ""},
		{"page.html/x", "document page.html/x", ""},
		{"./check", "document ./check", ""},
		{"file://" + filepath.ToSlash(dir) + "/page.html", "document " + filepath.Join(dir, "page.html"), ""},
		{"file://localhost" + filepath.ToSlash(dir) + "/docs", "directory " + filepath.Join(dir, "docs"), ""},
	} {
		var notes []string
		r := &targetReader{note: func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }}
		targets, err := r.read([]string{c.raw}, nil)
		var got []string
		for _, x := range targets {
			switch x.kind {
			case website:
				got = append(got, "website "+x.url.String())
			case directory:
				got = append(got, "directory "+x.path)
			case document:
				got = append(got, "document "+filepath.ToSlash(x.path))
			case stdinDocument:
				got = append(got, "stdin "+x.path)
			}
		}
		if err != nil || strings.Join(got, ", ") != filepath.ToSlash(c.want) {
			t.Errorf("%s: %s, %v; want %s", c.raw, got, err, c.want)
		}
		if !strings.Contains(strings.Join(notes, "\n"), c.note) || c.note == "" && notes != nil {
			t.Errorf("%s: notes %q, want %q", c.raw, notes, c.note)
		}
	}
}

func TestClassifyErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for raw, want := range map[string]string{
		"":                     "a target is empty",
		"sftp://a/b":           `a target is an http, https, ftp or gopher URL, a directory or a file; "sftp" URLs are not supported`,
		"sftp://me:secret@a/b": "sftp://me:***@a/b",
		"http://[bad":          "http://[bad",
		"file://other.host/x":  "it names the host other.host",
		"docs/[a":              "invalid glob",
	} {
		r := &targetReader{note: func(string, ...any) {}}
		_, err := r.read([]string{raw}, nil)
		if err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q: error %v, want %q", raw, err, want)
		}
	}
}

func TestAbsentHint(t *testing.T) {
	for raw, want := range map[string]string{
		"example.com":       "for the website write https://example.com",
		"example.com/x":     "for the website write https://example.com/x",
		"localhost:8080/x":  "for the website write",
		"sub.example.co.uk": "for the website write",
		"chekc":             "did you mean the command check?",
		"extarct":           "did you mean the command extract?",
		"guide.html":        "",
		"notes.txt":         "",
		"docs/example.com":  "",
		".hidden":           "",
		"1.2":               "",
	} {
		if got := absentHint(raw, []string{"check", "extract", "explain", "report", "compare"}); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("absentHint(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestTargetList(t *testing.T) {
	t.Chdir(t.TempDir())
	list := "\ufeff# the site\r\nhttps://example.com/#top  # trailing remark\n\n  b c.html\nhttps://example.com/#top\n#end"
	if err := os.WriteFile("list.txt", []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	r := &targetReader{note: func(string, ...any) {}}
	targets, err := r.read([]string{"a.html"}, []string{"list.txt"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range targets {
		got = append(got, x.raw)
	}
	if want := []string{"a.html", "https://example.com/#top", "b c.html"}; !slices.Equal(got, want) {
		t.Errorf("targets %q, want %q", got, want)
	}
	r = &targetReader{stdin: strings.NewReader("https://a/\n"), note: func(string, ...any) {}}
	if _, err := r.read([]string{"-"}, []string{"-"}); err == nil || !strings.Contains(fmt.Sprint(err), "standard input can be read only once") {
		t.Errorf("standard input twice: %v", err)
	}
	if _, err := (&targetReader{}).read(nil, []string{"gone.txt"}); err == nil || !strings.Contains(fmt.Sprint(err), "--from: read gone.txt: no such file") {
		t.Errorf("absent list: %v", err)
	}
}
