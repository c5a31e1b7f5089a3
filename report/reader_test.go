package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// A report that is written, read and written again has the same bytes. HTML also lists redirects of
// targets that JSON does not list.
func TestReadIsTheInverseOfWrite(t *testing.T) {
	for name, run := range testRuns() {
		for _, show := range []Show{ShowDefault, ShowAll} {
			o := Options{Show: show}
			first := render(t, "json", o, run)
			read, err := Read(strings.NewReader(first))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if again := render(t, "json", o, read); again != first {
				t.Errorf("%s: got\n%s\nwant\n%s", name, again, first)
			}
			for _, format := range Names() {
				if f, _ := ByName(format); f.Streams {
					continue
				}
				run := run
				if format == "html" {
					listed := *run
					listed.Results = slices.DeleteFunc(slices.Clone(run.Results), func(r *result.Result) bool { return !show.Lists(r) })
					run = &listed
				}
				if got, want := render(t, format, o, read), render(t, format, o, run); got != want {
					t.Errorf("%s as %s: got\n%s\nwant\n%s", name, format, got, want)
				}
			}
		}
	}
}

// A result that is written as a line of ndjson, read and written again has the same bytes.
func TestReadResult(t *testing.T) {
	for name, run := range testRuns() {
		for _, r := range run.Results {
			one := &Report{Head: run.Head, Summary: run.Summary, Results: []*result.Result{r}}
			first, _, _ := strings.Cut(render(t, "ndjson", Options{Show: ShowAll}, one), "\n")
			read, err := ReadResult([]byte(first))
			if err != nil {
				t.Errorf("%s: %s: %v", name, first, err)
				continue
			}
			one.Results[0] = read
			if again, _, _ := strings.Cut(render(t, "ndjson", Options{Show: ShowAll}, one), "\n"); again != first {
				t.Errorf("%s: got\n%s\nwant\n%s", name, again, first)
			}
		}
	}
	for _, text := range []string{"", "{", `{"url": "x"}`} {
		if _, err := ReadResult([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestReadCountsSides(t *testing.T) {
	run := fullRun()
	start := *run.Results[4]
	start.URL, start.Code = "https://example.net/start", check.HTTPCode(404)
	start.References = []result.Reference{{Page: result.CommandLine}}
	run.Results = append(run.Results, &start)
	read, err := Read(strings.NewReader(render(t, "json", Options{}, run)))
	if err != nil {
		t.Fatal(err)
	}
	s := read.Summary
	if want := (result.Tally{Broken: 4, Warnings: 2}); s.Internal != want {
		t.Errorf("internal: got %v, want %v", s.Internal, want)
	}
	if want := (result.Tally{Unverified: 1}); s.External != want {
		t.Errorf("external: got %v, want %v", s.External, want)
	}
	if want := []string{start.URL}; !reflect.DeepEqual(s.StartFailed, want) {
		t.Errorf("start failed: got %v, want %v", s.StartFailed, want)
	}
	if s.Links != 60 {
		t.Errorf("%d links, want 60", s.Links)
	}
	if s.Soundness.StoppedBy != "max-time" || s.Soundness.Complete() || s.Elapsed != run.Summary.Elapsed || !s.Started.Equal(started.Truncate(1e9)) {
		t.Errorf("summary: %+v", s)
	}
}

func TestReadCountsUnlistedFindings(t *testing.T) {
	read, err := Read(strings.NewReader(render(t, "json", Options{Show: ShowSkipped}, fullRun())))
	if err != nil {
		t.Fatal(err)
	}
	want := result.Tally{Broken: 4, Unverified: 1, Warnings: 2}
	if s := read.Summary; s.Internal != want || s.External != want {
		t.Errorf("got %v and %v, want %v twice", s.Internal, s.External, want)
	}
}

func TestReadErrors(t *testing.T) {
	good := render(t, "json", Options{}, contractRun())
	swap := func(old, new string) string {
		out := strings.Replace(good, old, new, 1)
		if out == good {
			t.Fatalf("nothing to replace: %s", old)
		}
		return out
	}
	for _, test := range []struct{ name, in, want string }{
		{"empty", "", "it is empty"},
		{"text", "hello", "not a JSON report of orbweaver"},
		{"text report", render(t, "text", Options{}, contractRun()), "not a JSON report of orbweaver"},
		{"array", "[]", "not a JSON report of orbweaver"},
		{"other object", `{"a": 1}`, `not a JSON report of orbweaver: field "schema" is missing`},
		{"ndjson", render(t, "ndjson", Options{}, contractRun()), "it is an ndjson report"},
		{"newer schema", swap("report/1", "report/2"), `its schema is "orbweaver.report/2", but this version reads only "orbweaver.report/1"`},
		{"cut short", good[:len(good)/2], "it is incomplete"},
		{"cut at the end", good[:len(good)-3], "it is incomplete"},
		{"twice", good + good, "there is more data after the report's object"},
		{"rubbish behind", good + "x", "there is more data after the report's object"},
		{"syntax", swap(`"results": [`, `"results": [,`), "invalid JSON near byte"},
		{"type", swap(`"pages": 57`, `"pages": "57"`), `field "summary.pages" has the wrong type: string`},
		{"type in a result", swap(`"line": 12`, `"line": 1.5`), `field "results[1].references.line" has the wrong type: number 1.5`},
		{"verdict", swap(`"verdict": "broken"`, `"verdict": "dead"`), `field "results[0]": "dead" is not a verdict`},
		{"no verdict", swap(`"verdict": "broken",`, ``), `results[0]: field "verdict" is missing`},
		{"scope", swap(`"scope": "internal"`, `"scope": "inner"`), `results[0]: field "scope" is "inner"`},
		{"results", swap(`"results": [`, `"results": null, "x": [`), `field "results" is not an array`},
		{"time", swap("2026-01-02T03:04:05Z", "yesterday"), `field "started"`},
		{"two", swap(`"complete": true`, `"complete": true, "complete": true`), `field "complete" occurs twice`},
		{"UTF-16", "\xff\xfe{\x00", "it is UTF-16"},
		{"deep", swap(`"complete": true`, `"complete": true, "x": `+strings.Repeat("[", 20000)), "exceeded max depth"},
	} {
		_, err := Read(strings.NewReader(test.in))
		if err == nil || !strings.HasPrefix(err.Error(), "read report: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func TestReadIsTolerant(t *testing.T) {
	good := render(t, "json", Options{}, contractRun())
	for name, in := range map[string]string{
		"byte order mark":   "\ufeff" + good,
		"blanks":            "\n\t " + good + "\r\n\n",
		"unknown fields":    strings.NewReplacer(`"complete"`, `"later": {"a": [1]}, "complete"`, `"verdict"`, `"later": null, "verdict"`).Replace(good),
		"windows line ends": strings.ReplaceAll(good, "\n", "\r\n"),
	} {
		read, err := Read(strings.NewReader(in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := render(t, "json", Options{}, read); again != good {
			t.Errorf("%s: got\n%s", name, again)
		}
	}
	// Fields in another order, some of them missing.
	read, err := Read(strings.NewReader(`{"results": [{"scope": "external", "verdict": "broken", "url": "u"}], "summary": {"broken": 1}, "schema": "orbweaver.report/1"}`))
	if err != nil {
		t.Fatal(err)
	}
	if r := read.Results[0]; r.Size != -1 || r.URL != "u" || read.Summary.External.Broken != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestReadFileNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, want string }{
		{filepath.Join(dir, "absent.json"), "no such file or directory"},
		{bad, "it is incomplete: the run that wrote it may have been killed"},
		{dir, "is a directory"},
	} {
		_, err := ReadFile(test.file)
		if want := "read report " + test.file + ": " + test.want; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "absent.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v does not unwrap", err)
	}
	good := filepath.Join(dir, "good.json")
	if err := os.WriteFile(good, []byte(render(t, "json", Options{}, contractRun())), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(good); err != nil {
		t.Error(err)
	}
}

func TestLimitedReader(t *testing.T) {
	for n, want := range map[int64]bool{9: false, 10: true, 11: true} {
		got, err := io.ReadAll(&limitedReader{strings.NewReader("0123456789"), n})
		if ok := err == nil && string(got) == "0123456789"; ok != want {
			t.Errorf("limit %d: %q, %v", n, got, err)
		}
	}
}

func TestReportWriteReturnsTheWritersError(t *testing.T) {
	full := errors.New("no space left on device")
	for _, f := range Formats {
		for _, n := range []int{0, 100, 5000} {
			err := fullRun().Write(newWriter(t, f, &failingWriter{n: n, err: full}, Options{Show: ShowAll}))
			whole := len(render(t, f.Name, Options{Show: ShowAll}, fullRun()))
			if n < whole && !errors.Is(err, full) {
				t.Errorf("%s with room for %d of %d bytes: got %v", f.Name, n, whole, err)
			}
		}
	}
}

// Read never panics. A report that it accepts can be written, is valid, and is the same
// when it is read again.
func FuzzRead(f *testing.F) {
	small := hostileRun()
	small.Head.Targets, small.Results = nil, small.Results[15:16]
	f.Add(render(f, "json", Options{}, small))
	f.Add(render(f, "json", Options{}, &Report{}))
	f.Add(`{"schema":"orbweaver.report/1","summary":{"by_code":{"":-1}},"results":[{"verdict":"ok","scope":"internal","elapsed_ms":-9223372036854775808}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		read, err := Read(strings.NewReader(in))
		if err != nil {
			return
		}
		first := render(t, "json", Options{Show: ShowAll}, read)
		again, err := Read(strings.NewReader(first))
		if err != nil {
			t.Fatalf("%v in %s", err, first)
		}
		if second := render(t, "json", Options{Show: ShowAll}, again); second != first {
			t.Fatalf("got\n%s\nwant\n%s", second, first)
		}
		for _, format := range []string{"text", "csv"} {
			render(t, format, Options{Show: ShowAll}, read)
		}
		Compare(read, again)
	})
}
