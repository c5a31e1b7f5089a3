package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"
)

// TestWatch changes documents while they are watched, and waits for each check.
func TestWatch(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir, aside, temporary := t.TempDir(), filepath.Join(t.TempDir(), "new"), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	var there, gone atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/there" {
			there.Add(1)
			return
		}
		gone.Add(1)
		w.WriteHeader(http.StatusNotFound)
	}))
	defer web.Close()
	if err := os.Mkdir(filepath.Join(dir, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	// write replaces a file in one step, so that there is one event and one check.
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(aside, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(aside, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	write("a.html", `<a href="old-fault.html">x</a>`)
	write("b.html", `<a href="a.html">x</a>`)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	lines := bufio.NewScanner(out)
	// round reads the output up to the line that announces the next wait.
	round := func() string {
		t.Helper()
		var text strings.Builder
		for lines.Scan() {
			if strings.Contains(lines.Text(), "watching ") {
				return text.String()
			}
			text.WriteString(lines.Text() + "\n")
		}
		t.Fatalf("the watch ended after %q", text.String())
		return ""
	}
	root := newRoot()
	root.SetArgs([]string{"check", dir, "--watch", "--progress", "never", "-o", filepath.Join(dir, "report.json")})
	root.SetOut(in)
	root.SetErr(in)
	ended := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		in.Close()
		ended <- err
	}()

	expect := func(text string, has, hasNot []string) {
		t.Helper()
		for _, s := range has {
			if !strings.Contains(text, s) {
				t.Errorf("%q is missing in\n%s", s, text)
			}
		}
		for _, s := range hasNot {
			if strings.Contains(text, s) {
				t.Errorf("%q is in\n%s", s, text)
			}
		}
	}
	expect(round(), []string{"old-fault.html", "1 broken"}, nil)
	write("b.html", `<a href="new-fault.html">x</a>`)
	expect(round(), []string{"b.html", "new-fault.html", "1 broken"}, []string{"old-fault.html"})
	write("b.html", `<a href="deep/c.html">x</a>`)
	expect(round(), []string{"file-missing"}, nil)
	write("deep/c.html", `<a href="../b.html">x</a>`)
	expect(round(), []string{"c.html"}, []string{"file-missing"})
	write("deep/c.html", `<a href="../a.html">x</a>`)
	expect(round(), nil, []string{"file-missing", "old-fault.html"})
	if err := os.Remove(filepath.Join(dir, "a.html")); err != nil {
		t.Fatal(err)
	}
	expect(round(), []string{"a.html", "file-missing", "1 broken"}, nil)
	if err := os.MkdirAll(filepath.Join(aside, "later"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(aside, "later", "d.html"), []byte(`<a href="e.html">x</a>`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, filepath.Join(dir, "whole")); err != nil {
		t.Fatal(err)
	}
	expect(round(), []string{"whole/later/d.html", "e.html", "2 broken"}, nil)

	// A target that is ok is requested once, a broken one in each check.
	for i := range 3 {
		write("b.html", fmt.Sprintf(`<a href="%[1]s/there">%[2]d</a> <a href="%[1]s/gone">x</a>`, web.URL, i))
		expect(round(), []string{"/gone", "3 broken"}, nil)
	}
	if there.Load() != 1 || gone.Load() < 3 {
		t.Errorf("the target that is ok was requested %d times, the broken one %d times", there.Load(), gone.Load())
	}

	cancel()
	for lines.Scan() { // read the rest, so that the writer does not block
	}
	var exit *exitError
	if err := <-ended; !errors.As(err, &exit) || exit.code != 1 || exit.err != nil {
		t.Errorf("the watch ended with %v, want the last check's status 1", err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("temporary files remain: %v, %v", left, err)
	}
}

// TestWatchWritesCleanAgain tests that a round replaces the copy that the round before wrote.
func TestWatchWritesCleanAgain(t *testing.T) {
	dir := t.TempDir()
	marks, clean := filepath.Join(dir, "marks.html"), filepath.Join(t.TempDir(), "clean.html")
	write := func(link string) {
		t.Helper()
		text := "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>\n<DL><p>\n<DT><A HREF=\"" + link + "\">x</A>\n</DL>\n"
		if err := os.WriteFile(marks+".new", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(marks+".new", marks); err != nil {
			t.Fatal(err)
		}
	}
	write("gone.html")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	root := newRoot()
	root.SetArgs([]string{"check", marks, "--watch", "--progress", "never", "--write-clean", clean, "--overwrite-many"})
	root.SetOut(in)
	root.SetErr(in)
	go func() {
		in.CloseWithError(root.ExecuteContext(ctx))
	}()
	rounds := 0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), "watching ") {
			continue
		}
		if rounds++; rounds == 2 {
			cancel()
			continue
		}
		write("marks.html")
	}
	if text, err := os.ReadFile(clean); rounds != 2 || err != nil || !strings.Contains(string(text), "marks.html") {
		t.Errorf("%d rounds, %v: %s", rounds, err, text)
	}
}

func TestWatchRefuses(t *testing.T) {
	root := newRoot()
	root.SetArgs([]string{"check", "https://example.com/", "--watch"})
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "--watch: https://example.com/ is not a file or directory") {
		t.Errorf("watching a website: %v", err)
	}
}

// TestWatchDirectories moves whole directories, which causes no events for their files,
// and deletes and creates the target itself, as generators do.
func TestWatchDirectories(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	above := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	at := func(name string) string { return filepath.Join(above, filepath.FromSlash(name)) }
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(at(name)), 0o755), os.WriteFile(at(name), []byte(text), 0o644))
	}
	site := func(name string) error {
		return errors.Join(write(name+"/index.html", `<a href="sub/a.html">x</a>`), write(name+"/sub/a.html", `<p>`))
	}
	do(site("first"), site("next"), os.Symlink("first", at("link")), os.Symlink("next", at("newlink")))

	for _, target := range []string{"first", "link", "first/index.html"} {
		t.Run(target, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out, in := io.Pipe()
			lines := bufio.NewScanner(out)
			root := newRoot()
			root.SetArgs([]string{"check", at(target), "--watch", "--progress", "never"})
			root.SetOut(in)
			root.SetErr(in)
			ended := make(chan error, 1)
			go func() {
				err := root.ExecuteContext(ctx)
				in.Close()
				ended <- err
			}()
			// until reads the output up to a line; one step may take several checks.
			until := func(want string) {
				t.Helper()
				var said strings.Builder
				for lines.Scan() {
					if strings.Contains(lines.Text(), want) {
						return
					}
					said.WriteString(lines.Text() + "\n")
				}
				t.Fatalf("%q did not come after\n%s", want, said.String())
			}
			switch target {
			case "first":
				until("watching 2 directories")
				do(os.Rename(at("first/sub"), at("first/other")))
				until("file-missing")
				until("watching 2 directories")
				do(os.Rename(at("first/other"), at("first/sub")))
				until("all ok")
				until("watching 2 directories")
				do(write("first/sub/a.html", `<a href="gone.html">x</a>`))
				until("gone.html")
				until("watching 2 directories")
				do(os.Rename(at("first"), at("old")), site("first"))
				until("all ok")
				do(write("first/sub/a.html", `<a href="lost.html">x</a>`))
				until("lost.html")
				do(os.RemoveAll(at("first")), site("first"))
				until("all ok")
			case "link":
				until("watching 2 directories")
				do(os.RemoveAll(at("next/sub")), os.Rename(at("newlink"), at("link")))
				until("file-missing")
				until("watching 1 directory;")
				do(site("next"))
				until("all ok")
			default:
				until("watching 1 directory;")
				do(os.RemoveAll(at("first")))
				until("watching 0 directories")
				do(site("first"))
				until("all ok")
			}
			cancel()
			for lines.Scan() { // read the rest, so that the writer does not block
			}
			<-ended
		})
	}
}

// An editor that writes to a file of its own, and then gives it the name of the user's file, has changed
// only that one. A file that comes and goes is no change.
func TestWatchNamesTheUsersFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string) error { return os.WriteFile(at(name), []byte("text"), 0o644) }
	if err := write("guide.md"); err != nil {
		t.Fatal(err)
	}
	w, err := newWatcher([]target{{kind: directory, path: dir}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := errors.Join(write("sedA1b2C3"), os.Rename(at("sedA1b2C3"), at("guide.md"))); err != nil {
		t.Fatal(err)
	}
	changed, err := w.wait(t.Context())
	if want := []string{at("guide.md")}; err != nil || !slices.Equal(changed, want) {
		t.Errorf("changed %q, %v; want %q", changed, err, want)
	}
	if err := errors.Join(write("lock123"), os.Remove(at("lock123")), write("new.md")); err != nil {
		t.Fatal(err)
	}
	changed, err = w.wait(t.Context())
	if want := []string{at("new.md")}; err != nil || !slices.Equal(changed, want) {
		t.Errorf("changed %q, %v; want %q", changed, err, want)
	}
}

// A report that is written to a file in the directory is no reason for another check.
func TestWatchIgnoresItsOutput(t *testing.T) {
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "log.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := os.WriteFile(filepath.Join(dir, "a.html"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := newWatcher([]target{{kind: directory, path: dir}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	relevant := func(name string) bool {
		return w.relevant(fsnotify.Event{Name: filepath.Join(dir, name), Op: fsnotify.Write})
	}
	if !relevant("a.html") || !relevant("log.txt") {
		t.Error("files of others are ignored")
	}
	defer func(before *os.File) { os.Stdout = before }(os.Stdout)
	os.Stdout = out
	if !relevant("a.html") || relevant("log.txt") {
		t.Error("the output of the process is a reason for a check")
	}
}
