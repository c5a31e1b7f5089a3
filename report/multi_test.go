package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func outputs(t *testing.T, specs ...string) []Output {
	t.Helper()
	var all []Output
	for _, s := range specs {
		o, err := ParseOutput(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// files lists a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Each of several reports of one run is the same as if it were the only one.
func TestMultiWritesWhatEachFormatWrites(t *testing.T) {
	dir := t.TempDir()
	var stdout bytes.Buffer
	o := Options{workingDir: dir, Color: true}
	m, err := Open(outputs(t, "text:-", "a.json", "a.ndjson", "a.csv", "b.txt", "json:"+filepath.Join(dir, "c")), &stdout, o)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := fullRun().Write(m); err != nil {
		t.Fatal(err)
	}
	if got := render(t, "text", o, fullRun()); stdout.String() != got {
		t.Errorf("standard output: got\n%s", stdout.String())
	}
	for file, format := range map[string]string{"a.json": "json", "a.ndjson": "ndjson", "a.csv": "csv", "b.txt": "text", "c": "json"} {
		if got, want := read(t, filepath.Join(dir, file)), render(t, format, Options{}, fullRun()); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		}
	}
	if got := files(t, dir); got != "a.csv a.json a.ndjson b.txt c" {
		t.Errorf("directory holds %s", got)
	}
}

// A text report whose results arrive sorted by URL does not wait for the end, and is the same.
func TestMultiPassesSortedResultsOn(t *testing.T) {
	dir := t.TempDir()
	run := fullRun()
	slices.SortStableFunc(run.Results, func(a, b *result.Result) int {
		if a.URL == b.URL {
			return byURL(b, a) // the order of these does not matter
		}
		return byURL(a, b)
	})
	for _, other := range []string{"a.json", "a.ndjson"} { // with a format that streams, nothing is sorted
		var stdout bytes.Buffer
		m, err := Open(outputs(t, "text:-", other), &stdout, Options{workingDir: dir, Sorted: true})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if err := run.Write(m); err != nil {
			t.Fatal(err)
		}
		if got, want := stdout.String(), render(t, "text", Options{}, fullRun()); got != want {
			t.Errorf("text with %s: got\n%s\nwant\n%s", other, got, want)
		}
	}
}

// A text report keeps a few references of a target that every page links to, and the names of the pages.
func TestMultiHoldsFewReferences(t *testing.T) {
	const pages, targets = 2_000, 40
	names := make([]string, pages)
	for i := range names {
		names[i] = fmt.Sprintf("p%05d.html", i)
	}
	m, err := Open(outputs(t, "text:-"), io.Discard, Options{Sorted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Begin(&Head{}); err != nil {
		t.Fatal(err)
	}
	live := func() uint64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := live()
	for i := range targets {
		refs := make([]result.Reference, pages)
		for k := range refs {
			refs[k] = result.Reference{Page: names[k], Line: i + 1, Column: 1, Raw: fmt.Sprintf("gone%02d.html", i)}
		}
		r := &result.Result{URL: fmt.Sprintf("gone%02d.html", i), Verdict: check.Broken, Code: check.CodeFileMissing, Internal: true, References: refs}
		if err := m.Result(r); err != nil {
			t.Fatal(err)
		}
	}
	if held, most := int64(live()-before)/(pages*targets), int64(40); held > most {
		t.Errorf("%d bytes for each reference, want %d at most", held, most)
	}
	runtime.KeepAlive(m)
}

func TestMultiPutsFilesInPlaceAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "r.ndjson")
	if err := os.WriteFile(target, []byte("last week's"), 0o640); err != nil {
		t.Fatal(err)
	}
	run := fullRun()
	for _, ends := range []bool{false, true} {
		m, err := Open(outputs(t, target), nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Begin(&run.Head); err != nil {
			t.Fatal(err)
		}
		if err := m.Result(run.Results[0]); err != nil {
			t.Fatal(err)
		}
		if got := read(t, target); got != "last week's" {
			t.Errorf("before the end: %s", got)
		}
		if ends {
			if err := m.End(&run.Summary); err != nil {
				t.Fatal(err)
			}
		}
		m.Close()
		m.Close()
		if got := files(t, dir); got != "r.ndjson" {
			t.Errorf("directory holds %s", got)
		}
		if got := read(t, target); strings.Contains(got, "bot-wall") != ends {
			t.Errorf("ended %v: %s", ends, got)
		}
	}
	if info, err := os.Stat(target); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "d.json"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		specs []string
		want  string
	}{
		{[]string{"text:-", "json:-"}, "write standard output: two reports go there"},
		{[]string{"a.json", "ndjson:./a.json"}, "write ./a.json: two reports go to this file"},
		{[]string{"a.csv", "absent/a.json"}, "create absent/a.json: no such file or directory"},
		{[]string{"a.csv", "d.json"}, "create d.json: it is a directory"},
		{[]string{"a.csv", "a.csv/b.json"}, "create a.csv/b.json: no such file or directory"},
	} {
		if runtime.GOOS == "windows" && strings.Contains(test.want, "no such file") {
			continue // the system's message differs there
		}
		_, err := Open(outputs(t, test.specs...), &bytes.Buffer{}, Options{workingDir: dir})
		if err == nil || err.Error() != test.want {
			t.Errorf("%v: got %v, want %s", test.specs, err, test.want)
		}
		if got := files(t, dir); got != "d.json" {
			t.Errorf("%v: directory holds %s", test.specs, got)
		}
	}
}

// A report that cannot be written does not affect the others, and its error names it.
func TestMultiContinuesWhenOneOutputFails(t *testing.T) {
	for _, test := range []struct {
		spec string
		at   []string // the calls that return the error
		n    int
	}{
		{"ndjson:-", []string{"result 1"}, 1000},
		{"ndjson:-", []string{"result 0"}, 0},
		{"text:-", []string{"end"}, 100},
		{"json:-", []string{"end"}, 100},
		{"csv:-", []string{"end"}, 100},
	} {
		dir := t.TempDir()
		stdout := &failingWriter{n: test.n, err: &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}}
		m, err := Open(outputs(t, test.spec, "a.json", "b.ndjson"), stdout, Options{workingDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		var at []string
		note := func(call string, err error) {
			if err == nil {
				return
			}
			if at = append(at, call); !errors.Is(err, syscall.EPIPE) || err.Error() != "write standard output: broken pipe" {
				t.Errorf("%s: got %v", test.spec, err)
			}
		}
		run := fullRun()
		note("begin", m.Begin(&run.Head))
		for i, r := range run.Results {
			note("result "+string(rune('0'+i)), m.Result(r))
		}
		note("end", m.End(&run.Summary))
		if !slices.Equal(at, test.at) {
			t.Errorf("%s: errors at %v, want %v", test.spec, at, test.at)
		}
		for file, format := range map[string]string{"a.json": "json", "b.ndjson": "ndjson"} {
			if got := read(t, filepath.Join(dir, file)); got != render(t, format, Options{}, run) {
				t.Errorf("%s: %s is not as it should be:\n%s", test.spec, file, got)
			}
		}
		m.Close()
	}
}

func TestFileThatCannotBeWrittenStays(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("needs /dev/full")
		return
	}
	m, err := Open(outputs(t, "json:/dev/full"), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	err = fullRun().Write(m)
	if want := "write /dev/full: no space left on device"; err == nil || err.Error() != want || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want %s", err, want)
	}
	if info, err := os.Stat("/dev/full"); err != nil || info.Mode().IsRegular() {
		t.Errorf("/dev/full was replaced: %v, %v", info, err)
	}
}

func TestMultiFollowsLinksAndWritesDevices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("links need a privilege there")
		return
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "real", "r.json"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("real", "r.json"), filepath.Join(dir, "r.json")); err != nil {
		t.Fatal(err)
	}
	m, err := Open(outputs(t, "r.json", "text:"+os.DevNull), nil, Options{workingDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := fullRun().Write(m); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "real", "r.json")); got != render(t, "json", Options{}, fullRun()) {
		t.Errorf("got %s", got)
	}
	if info, err := os.Lstat(filepath.Join(dir, "r.json")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
}

func TestMultiGivesPagesToGraphsOnly(t *testing.T) {
	var stream, whole keeper
	all := []Output{
		{Format: keeperFormat(&stream, true, true), File: "-"},
		{Format: keeperFormat(&whole, false, true), File: filepath.Join(t.TempDir(), "a")},
		{Format: &csvFormat, File: filepath.Join(t.TempDir(), "b")},
	}
	m, err := Open(all, &bytes.Buffer{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if !m.WantsPages() || !m.WantsReferences() {
		t.Error("does not want pages, or references")
	}
	if n, err := Open([]Output{{Format: &textFormat, To: &bytes.Buffer{}}, {Format: &sarifFormat, To: &bytes.Buffer{}}}, nil, Options{}); err != nil || n.WantsReferences() {
		t.Errorf("wants references that it does not list, %v", err)
	}
	run := fullRun()
	if err := m.Begin(&run.Head); err != nil {
		t.Fatal(err)
	}
	if err := m.Page(&result.Page{URL: "p"}); err != nil {
		t.Fatal(err)
	}
	if err := m.End(&run.Summary); err != nil {
		t.Fatal(err)
	}
	if len(stream.pages) != 1 || len(whole.pages) != 1 {
		t.Errorf("pages: %d and %d", len(stream.pages), len(whole.pages))
	}
}

// What is printed may be less than what is written to files.
func TestPrintedShow(t *testing.T) {
	dir := t.TempDir()
	for _, format := range []string{"text", "json", "ndjson"} {
		var printed bytes.Buffer
		f, err := ByName(format)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "full."+f.Extensions[0][1:])
		m, err := Open([]Output{{Format: f, File: Stdout}, {Format: f, File: file}}, &printed, Options{PrintedShow: ShowBroken})
		if err != nil {
			t.Fatal(err)
		}
		if err := fullRun().Write(m); err != nil {
			t.Fatal(err)
		}
		if s := printed.String(); !strings.Contains(s, "http-404") || strings.Contains(s, "redirect-permanent") && format == "text" || strings.Contains(s, `"proposal"`) {
			t.Errorf("%s on standard output:\n%s", format, s)
		}
		if s := read(t, file); !strings.Contains(s, "http-404") || !strings.Contains(s, "redirect-permanent") {
			t.Errorf("%s in a file:\n%s", format, s)
		}
	}
}

// What is printed may also be more than what is written to files, and other than it.
func TestPrintedShowIsWider(t *testing.T) {
	var printed bytes.Buffer
	file := filepath.Join(t.TempDir(), "ok.txt")
	m, err := Open([]Output{{Format: &textFormat, File: Stdout}, {Format: &textFormat, File: file}}, &printed, Options{Show: ShowOK, PrintedShow: ShowDefault})
	if err != nil {
		t.Fatal(err)
	}
	if err := fullRun().Write(m); err != nil {
		t.Fatal(err)
	}
	const broken, ok = "  broken  ", "  ok  "
	if s := printed.String(); !strings.Contains(s, broken) || strings.Contains(s, ok) {
		t.Errorf("standard output:\n%s", s)
	}
	if s := read(t, file); strings.Contains(s, broken) || !strings.Contains(s, ok) {
		t.Errorf("file:\n%s", s)
	}
}
