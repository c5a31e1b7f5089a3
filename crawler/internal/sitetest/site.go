package sitetest

import (
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// Site is a website from a text archive. It does not change.
type Site struct {
	files   fstest.MapFS
	answers map[string]*answer // by request target
	wants   []expectation
	skipped []expectation
}

// answer is the answer of the server for a request target.
type answer struct {
	status int
	header http.Header
}

// ParseFile reads a site from an archive. An error ends the test.
func ParseFile(t testing.TB, name string) *Site {
	t.Helper()
	archive, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(archive)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

func parse(archive []byte) (*Site, error) {
	s := &Site{files: fstest.MapFS{}, answers: map[string]*answer{}}
	a := txtar.Parse(archive)
	if err := s.parseAnswers(string(a.Comment)); err != nil {
		return nil, err
	}
	for _, f := range a.Files {
		var err error
		switch f.Name {
		case "wants":
			s.wants, err = s.parseExpectations(f.Name, string(f.Data))
		case "skipped":
			s.skipped, err = s.parseExpectations(f.Name, string(f.Data))
		default:
			err = s.addFile(f.Name, f.Data)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(s.files)+len(s.answers) == 0 {
		return nil, fmt.Errorf("parse site: it has no page")
	}
	return s, nil
}

func (s *Site) addFile(name string, data []byte) error {
	switch {
	case name != path.Clean(name) || !filepath.IsLocal(name):
		return fmt.Errorf("parse site: %q is not a path inside the site", name)
	case s.files[name] != nil:
		return fmt.Errorf("parse site: the file %q occurs twice", name)
	}
	s.files[name] = &fstest.MapFile{Data: data, Mode: 0o644}
	return nil
}

// parseAnswers reads the text before the first section.
func (s *Site) parseAnswers(text string) error {
	var last *answer
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "/"):
			target, a, err := parseAnswer(line)
			if err != nil {
				return err
			}
			if s.answers[target] != nil {
				return fmt.Errorf("parse site: %s has two answers", target)
			}
			s.answers[target], last = a, a
		case last != nil && strings.TrimSpace(line) != "" && strings.TrimLeft(line, " \t") != line:
			if err := last.addHeader(line); err != nil {
				return err
			}
		default:
			last = nil
		}
	}
	return nil
}

// parseAnswer reads "/target: status 301, Location: /new.html".
func parseAnswer(line string) (target string, a *answer, err error) {
	target, rest, ok := strings.Cut(line, ": status ")
	status, header, more := strings.Cut(rest, ", ")
	a = &answer{header: http.Header{}}
	a.status, err = strconv.Atoi(status)
	if !ok || err != nil || a.status < 200 || a.status > 999 || strings.ContainsAny(target, " \t") {
		return "", nil, fmt.Errorf(`parse site: %q is not of the form "/target: status NNN, Name: value"`, line)
	}
	if more {
		err = a.addHeader(header)
	}
	return target, a, err
}

func (a *answer) addHeader(line string) error {
	name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return fmt.Errorf("parse site: %q is not a header field", line)
	}
	a.header.Add(name, strings.TrimSpace(value))
	return nil
}

// Static reports whether the site has files only, so that WriteDir can write it.
func (s *Site) Static() bool { return len(s.answers) == 0 }

// WriteDir writes the site into a temporary directory of the test and returns its path. It
// ends the test if the site is not Static.
func (s *Site) WriteDir(t testing.TB) string {
	t.Helper()
	if !s.Static() {
		t.Fatal("write site: the answers of its server cannot be written into a directory")
	}
	dir := t.TempDir()
	for name, file := range s.files {
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		// Names that differ only in letter case are the same file on some systems.
		f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(file.Data); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
