package report

import (
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// keeper is a Writer that stores its input.
type keeper struct {
	head    *Head
	results []*result.Result
	pages   []*result.Page
	summary *result.Summary
}

func (k *keeper) Begin(h *Head) error           { k.head = h; return nil }
func (k *keeper) Result(r *result.Result) error { k.results = append(k.results, r); return nil }
func (k *keeper) Page(p *result.Page) error     { k.pages = append(k.pages, p); return nil }
func (k *keeper) End(s *result.Summary) error   { k.summary = s; return nil }

// keeperFormat returns a format that writes to k.
func keeperFormat(k *keeper, streams, pages bool) *Format {
	return &Format{Name: "keep", Streams: streams, Pages: pages, New: func(io.Writer, Options) Writer { return k }}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"https://example.com/":               "https://example.com/",
		"https://user:secret@example.com/":   "https://user:***@example.com/",
		"see http://a:b@c/ and http://d:e@f": "see http://a:***@c/ and http://d:***@f",
		"mailto:a@example.com":               "mailto:a@example.com",
		"a\xffb":                             "a\ufffdb",
	} {
		got := clean(in)
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if again := clean(got); again != got {
			t.Errorf("%q: again %q", got, again)
		}
	}
}

func TestCleanRaw(t *testing.T) {
	const target = "https://user:***@example.com/x"
	for _, test := range []struct{ raw, target, want string }{
		{"https://user:secret@example.com/x", target, "https://user:***@example.com/x"},
		{"https://user:secret&#64;example.com/x", target, "https://user:***@example.com/x"},
		{"https://user:secret&commat;example.com/x?a&amp;b", target, "https://user:***@example.com/x?a&b"},
		{`https\3a//user:secret\40 example.com/x`, target, target},
		{`https://user:secret\40 example.com/x`, target, target},
		{`https://user:secret\u0040example.com/x`, target, target},
		{"x", target, "x"},
		{"x?a&amp;b", target, "x?a&amp;b"},
		{"https://example.com/?a=1&amp;b=2", "https://example.com/?a=1&b=2", "https://example.com/?a=1&amp;b=2"},
		{"mailto:a&#64;example.com", "mailto:a@example.com", "mailto:a&#64;example.com"},
	} {
		got := cleanRaw(test.raw, test.target)
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.raw, got, test.want)
		}
		if again := cleanRaw(got, test.target); again != got {
			t.Errorf("%q: again %q", got, again)
		}
	}
}

// No string field lets a password or invalid UTF-8 through. The test uses reflection, so
// that it covers fields that are added later.
func TestFilterCleansEveryString(t *testing.T) {
	const bad = "https://user:secret@example.com/\xff"
	res := &result.Result{
		Redirects: make([]result.Hop, 2), Warnings: make([]check.Warning, 2),
		Suggestions: make([]check.Suggestion, 2), References: make([]result.Reference, 2),
	}
	page := &result.Page{Links: make([]result.Edge, 2)}
	head := &Head{Targets: make([]string, 2), Codes: make([]Code, 2), Summary: &result.Summary{Targets: make([]string, 2), StartFailed: make([]string, 2)}}
	summary := &result.Summary{Targets: make([]string, 2), StartFailed: make([]string, 2)}
	for _, v := range []any{res, page, head, summary} {
		eachString(reflect.ValueOf(v), func(s reflect.Value) { s.SetString(bad) })
	}
	k := &keeper{}
	w := newWriter(t, keeperFormat(k, true, true), nil, Options{Show: ShowAll})
	for _, err := range []error{w.Begin(head), w.Page(page), w.Result(res), w.End(summary)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, v := range []any{k.head, k.pages[0], k.results[0], k.summary} {
		eachString(reflect.ValueOf(v), func(s reflect.Value) {
			if n++; strings.Contains(s.String(), "secret") || !utf8.ValidString(s.String()) {
				t.Errorf("%T has %q", v, s.String())
			}
		})
	}
	if n < 40 {
		t.Errorf("only %d strings met", n)
	}
	for _, v := range []any{res, page, head, summary} {
		eachString(reflect.ValueOf(v), func(s reflect.Value) {
			if s.String() != bad {
				t.Errorf("%T was changed in place", v)
			}
		})
	}
}

func eachString(v reflect.Value, do func(reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		do(v)
	case reflect.Pointer:
		if !v.IsNil() {
			eachString(v.Elem(), do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachString(v.Index(i), do)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			eachString(v.Field(i), do)
		}
	}
}

func TestFilterDoesNotChangeItsInput(t *testing.T) {
	run, same := hostileRun(), hostileRun()
	for _, show := range []Show{ShowBroken, ShowAll} {
		for _, format := range Names() {
			render(t, format, Options{Show: show}, run)
		}
	}
	if !reflect.DeepEqual(run.Results, same.Results) {
		t.Error("results were changed")
	}
	// Only the top-level struct of a clean result is copied.
	k := &keeper{}
	s := filter{next: k, show: ShowAll}
	clean := contractRun().Results[0]
	if err := s.Result(clean); err != nil {
		t.Fatal(err)
	}
	if &k.results[0].References[0] != &clean.References[0] {
		t.Error("references were copied")
	}
}

func TestFilterShows(t *testing.T) {
	warn := func(codes ...check.Code) (w []check.Warning) {
		for _, c := range codes {
			w = append(w, check.Warning{Code: c})
		}
		return w
	}
	ok := &result.Result{Verdict: check.OK}
	warned := &result.Result{Verdict: check.OK, Warnings: warn("redirect-temporary", "uri-repaired")}
	told := &result.Result{Verdict: check.OK, Warnings: warn("redirect-temporary")}
	broken := &result.Result{Verdict: check.Broken, Warnings: warn("redirect-temporary")}
	unverified := &result.Result{Verdict: check.Unverified}
	skipped := &result.Result{Verdict: check.Skipped}
	all := []*result.Result{ok, warned, told, broken, unverified, skipped}
	names := []string{"ok", "warned", "told", "broken", "unverified", "skipped"}
	for _, test := range []struct {
		show     Show
		want     string
		warnings int
	}{
		{0, "warned broken unverified", 1},
		{ShowDefault, "warned broken unverified", 1},
		{ShowBroken, "broken", 0},
		{ShowWarning, "warned", 1},
		{ShowOK, "ok warned told", 1},
		{ShowSkipped | ShowUnverified, "unverified skipped", 0},
		{ShowInfo, "", 0},
		{ShowAll, "ok warned told broken unverified skipped", 4},
	} {
		k := &keeper{}
		w := newWriter(t, keeperFormat(k, true, false), nil, Options{Show: test.show})
		var got []string
		for i, r := range all {
			before := len(k.results)
			if err := w.Result(r); err != nil {
				t.Fatal(err)
			}
			if len(k.results) > before {
				got = append(got, names[i])
			}
		}
		n := 0
		for _, r := range k.results {
			n += len(r.Warnings)
		}
		if strings.Join(got, " ") != test.want || n != test.warnings {
			t.Errorf("%v: shows %v with %d warnings, want %s with %d", test.show, got, n, test.want, test.warnings)
		}
	}
}

func TestSorterGivesHeadPagesResultsInOrder(t *testing.T) {
	for _, pages := range []bool{false, true} {
		k := &keeper{}
		w := newWriter(t, keeperFormat(k, false, pages), nil, Options{Show: ShowAll})
		run := fullRun()
		if err := w.Begin(&run.Head); err != nil {
			t.Fatal(err)
		}
		for _, url := range []string{"b", "a"} {
			if err := w.Page(&result.Page{URL: url}); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range run.Results {
			if err := w.Result(r); err != nil {
				t.Fatal(err)
			}
		}
		if k.head != nil || len(k.results) > 0 {
			t.Fatal("results came before the end")
		}
		if err := w.End(&run.Summary); err != nil {
			t.Fatal(err)
		}
		if k.head.Summary == nil || k.head.Summary.Results != 9 || k.summary.Results != 9 {
			t.Errorf("head's summary is %v", k.head.Summary)
		}
		for i := 1; i < len(k.results); i++ {
			if k.results[i].URL < k.results[i-1].URL {
				t.Errorf("%s comes after %s", k.results[i].URL, k.results[i-1].URL)
			}
		}
		if want := 2; pages && (len(k.pages) != want || k.pages[0].URL != "a") || !pages && len(k.pages) > 0 {
			t.Errorf("pages %v: %d", pages, len(k.pages))
		}
	}
}

// Cleaning makes valid UTF-8 and is idempotent: otherwise, a report that is read and
// written again would change.
func FuzzClean(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, "https://user:***@example.com/")
	}
	f.Fuzz(func(t *testing.T, s, target string) {
		target = clean(target)
		for _, do := range []func(string) string{clean, func(s string) string { return cleanRaw(s, target) }} {
			once := do(s)
			if !utf8.ValidString(once) {
				t.Fatalf("%q: %q is not UTF-8", s, once)
			}
			if twice := do(once); twice != once {
				t.Fatalf("%q: %q becomes %q", s, once, twice)
			}
		}
	})
}
