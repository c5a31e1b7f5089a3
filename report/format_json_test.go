package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestJSONGolden(t *testing.T) {
	golden(t, "full.json.golden", []byte(render(t, "json", Options{}, fullRun())))
	golden(t, "full-all.json.golden", []byte(render(t, "json", Options{Show: ShowAll}, fullRun())))
	golden(t, "full.ndjson.golden", []byte(render(t, "ndjson", Options{}, fullRun())))
	golden(t, "hostile.json.golden", []byte(render(t, "json", Options{}, hostileRun())))
	golden(t, "empty.json.golden", []byte(render(t, "json", Options{}, &Report{})))
}

func TestJSONFieldsAreInTheContractsOrder(t *testing.T) {
	run := contractRun()
	run.Results = run.Results[:1]
	run.Results[0].Redirects = []result.Hop{{URL: "x", Status: 301}}
	run.Results[0].Warnings = append(run.Results[0].Warnings, fullRun().Results[1].Warnings[0])
	want := strings.Fields(`schema tool name version started elapsed_ms complete stopped_by targets
		summary pages targets references requests ok broken unverified skipped warnings by_code fragment-missing http-404 sound
		results url verdict code message scope status attempts elapsed_ms final_url content_type size
		redirects url status warnings code message proposal suggestions url why
		references page line column element attribute raw text`)
	var got []string
	dec := json.NewDecoder(strings.NewReader(render(t, "json", Options{}, run)))
	type level struct{ object, value bool }
	var levels []level
	for {
		token, err := dec.Token()
		if err != nil {
			break
		}
		top := len(levels) - 1
		switch token {
		case json.Delim('{'), json.Delim('['):
			if top >= 0 {
				levels[top].value = false
			}
			levels = append(levels, level{object: token == json.Delim('{')})
			continue
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:top]
			continue
		}
		if levels[top].object && !levels[top].value {
			got = append(got, token.(string))
			levels[top].value = true
		} else {
			levels[top].value = false
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// A report of the same results in another order has the same bytes.
func TestReportsDoNotDependOnTheOrderOfResults(t *testing.T) {
	for _, f := range Formats {
		if f.Streams {
			continue
		}
		a, b := fullRun(), fullRun()
		for i, j := 0, len(b.Results)-1; i < j; i, j = i+1, j-1 {
			b.Results[i], b.Results[j] = b.Results[j], b.Results[i]
		}
		if render(t, f.Name, Options{}, a) != render(t, f.Name, Options{}, b) {
			t.Errorf("%s depends on the order", f.Name)
		}
	}
}

func TestNDJSONIsAJSONReportLineByLine(t *testing.T) {
	run := fullRun()
	var whole struct{ Results []any }
	if err := json.Unmarshal([]byte(render(t, "json", Options{Show: ShowAll}, run)), &whole); err != nil {
		t.Fatal(err)
	}
	byURL := map[string]any{}
	for _, r := range whole.Results {
		byURL[r.(map[string]any)["url"].(string)] = r
	}
	lines := strings.Split(strings.TrimSuffix(render(t, "ndjson", Options{Show: ShowAll}, run), "\n"), "\n")
	if len(lines) != len(run.Results)+1 {
		t.Fatalf("%d lines for %d results", len(lines), len(run.Results))
	}
	for i, line := range lines[:len(run.Results)] {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if url := got["url"].(string); url != run.Results[i].URL {
			t.Errorf("line %d is %s, want %s: lines come in the order of results", i+1, url, run.Results[i].URL)
		}
		if fmt.Sprint(got) != fmt.Sprint(byURL[run.Results[i].URL]) {
			t.Errorf("line %d is not as in json: %s", i+1, line)
		}
	}
	var last map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if last["schema"] != schemaID || last["results"] != nil || last["summary"] == nil {
		t.Errorf("last line is %v", last)
	}
}

// A line is written as soon as its result arrives.
func TestNDJSONStreams(t *testing.T) {
	run := fullRun()
	var out strings.Builder
	w := newWriter(t, &ndjsonFormat, &out, Options{Show: ShowAll})
	if err := w.Begin(&run.Head); err != nil {
		t.Fatal(err)
	}
	for i, r := range run.Results {
		if err := w.Result(r); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\n"); n != i+1 {
			t.Fatalf("%d lines after %d results", n, i+1)
		}
	}
}

func TestJSONIsHarmless(t *testing.T) {
	for _, format := range []string{"json", "ndjson"} {
		out := render(t, format, Options{Show: ShowAll}, hostileRun())
		if !utf8.ValidString(out) {
			t.Errorf("%s is not UTF-8", format)
		}
		if strings.Contains(out, "secret") {
			t.Errorf("%s holds a password", format)
		}
		for line := range strings.Lines(out) {
			if i := strings.IndexFunc(strings.TrimSuffix(line, "\n"), invisible); i >= 0 {
				t.Errorf("%s: unseen character at %d in %q", format, i, line)
			}
		}
	}
}

func TestNDJSONLinesAreWhole(t *testing.T) {
	scan := bufio.NewScanner(strings.NewReader(render(t, "ndjson", Options{}, hostileRun())))
	n := 0
	for scan.Scan() {
		if !json.Valid(scan.Bytes()) {
			t.Errorf("no JSON: %s", scan.Text())
		}
		n++
	}
	if n != len(hostile)+1 {
		t.Errorf("%d lines, want %d", n, len(hostile)+1)
	}
}
