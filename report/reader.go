package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Limits of reports that can be read.
const (
	// maxReport is the maximum size of a report in bytes.
	maxReport = 2 << 30
	// maxResults is the maximum number of results in a report.
	maxResults = 20_000_000
)

// Report is a saved run.
type Report struct {
	Head    Head
	Summary result.Summary
	Results []*result.Result
}

// ReadFile reads the JSON report in a file. Errors name the file.
func ReadFile(name string) (*Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read report %s: %w", name, cause(err))
	}
	defer f.Close()
	r, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("read report %s: %w", name, cause(err))
	}
	return r, nil
}

// Read reads a JSON report. It ignores unknown fields, since newer versions may add
// fields. A report with another schema is an error. Read holds all results in memory, and
// accepts at most 2 GiB and 20 million results. A report does not contain
// the counts of internal and external findings, so Read counts them in the listed
// results; findings that are not listed count as both internal and external.
func Read(r io.Reader) (*Report, error) {
	rep, err := parse(r)
	if err != nil {
		return nil, fmt.Errorf("read report: %w", cause(err))
	}
	return rep, nil
}

// Write passes the report to w.
func (r *Report) Write(w Writer) error {
	head := r.Head
	if err := w.Begin(&head); err != nil {
		return err
	}
	for _, result := range r.Results {
		if err := w.Result(result); err != nil {
			return err
		}
	}
	return w.End(&r.Summary)
}

// reader reads the object of a report key by key, so that it decodes one result at a
// time.
type reader struct {
	json   *json.Decoder
	report Report
	schema string
	seen   map[string]bool

	// What the report says of its soundness, in several places.
	complete       bool
	stoppedBy      string
	unsound        string
	checked, known int
}

func parse(in io.Reader) (*Report, error) {
	buffered := bufio.NewReader(&limitedReader{in, maxReport})
	if err := skipBOM(buffered); err != nil {
		return nil, err
	}
	r := &reader{json: json.NewDecoder(buffered), seen: map[string]bool{}}
	if err := r.object(); err != nil {
		return nil, err
	}
	rep, err := r.finish()
	if err != nil {
		return nil, err
	}
	if _, err := r.json.Token(); err == nil || isSyntax(err) {
		return nil, errors.New("there is more data after the report's object")
	} else if err != io.EOF {
		return nil, err
	}
	return rep, nil
}

// skipBOM skips a byte order mark.
func skipBOM(in *bufio.Reader) error {
	switch start, _ := in.Peek(3); {
	case len(start) == 0:
		if _, err := in.Peek(1); err != io.EOF {
			return err
		}
		return errors.New("it is empty")
	case len(start) == 3 && string(start) == "\uFEFF":
		_, err := in.Discard(3)
		return err
	case len(start) >= 2 && (string(start[:2]) == "\xFF\xFE" || string(start[:2]) == "\xFE\xFF"):
		return errors.New("it is UTF-16, which some shells write when output is redirected: write the report with --output")
	}
	return nil
}

var errNoReport = errors.New("it is not a JSON report of orbweaver")

func (r *reader) object() error {
	token, err := r.json.Token()
	if err != nil {
		return r.at(err)
	}
	if token != json.Delim('{') {
		return errNoReport
	}
	for r.json.More() {
		token, err := r.json.Token()
		if err != nil {
			return r.at(err)
		}
		key, ok := token.(string)
		if !ok {
			return errNoReport
		}
		if r.seen[key] && reportFields[key] {
			return fmt.Errorf("field %q occurs twice", key)
		}
		r.seen[key] = true
		if err := r.field(key); err != nil {
			return err
		}
	}
	if _, err := r.json.Token(); err != nil {
		return r.at(err)
	}
	return nil
}

var reportFields = map[string]bool{
	"schema": true, "tool": true, "started": true, "elapsed_ms": true, "complete": true,
	"stopped_by": true, "targets": true, "codes": true, "summary": true, "results": true,
}

func (r *reader) field(key string) error {
	var into any
	switch key {
	case "schema":
		if err := r.decode(key, &r.schema); err != nil {
			return err
		}
		return checkSchema(r.schema)
	case "tool":
		into = &r.report.Head.Tool
	case "started":
		into = &r.report.Head.Started
	case "elapsed_ms":
		var ms int64
		err := r.decode(key, &ms)
		r.report.Summary.Elapsed = milliseconds(ms)
		return err
	case "complete":
		into = &r.complete
	case "stopped_by":
		into = &r.stoppedBy
	case "targets":
		into = &r.report.Head.Targets
	case "codes":
		into = &r.report.Head.Codes
	case "summary":
		var s jsonSummary
		err := r.decode(key, &s)
		s.into(&r.report.Summary)
		r.unsound, r.checked, r.known = s.Unsound, s.Checked, s.KnownTargets
		return err
	case "results":
		return r.results()
	default:
		into = new(ignored)
	}
	return r.decode(key, into)
}

// ignored decodes any value and drops it.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }

func (r *reader) results() error {
	token, err := r.json.Token()
	if err != nil {
		return r.at(err)
	}
	if token != json.Delim('[') {
		return errors.New(`field "results" is not an array`)
	}
	for n := 0; r.json.More(); n++ {
		if n == maxResults {
			return fmt.Errorf("it has more than %d results", maxResults)
		}
		var in jsonResult
		if err := r.decode(fmt.Sprintf("results[%d]", n), &in); err != nil {
			return err
		}
		result, err := in.result()
		if err != nil {
			return fmt.Errorf("results[%d]: %w", n, err)
		}
		r.report.Results = append(r.report.Results, result)
	}
	_, err = r.json.Token()
	return r.at(err)
}

func (r *reader) decode(field string, into any) error {
	err := r.json.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		if wrong.Field != "" {
			field += "." + wrong.Field
		}
		return fmt.Errorf("field %q has the wrong type: %s", field, wrong.Value)
	case isSyntax(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return r.at(err)
	default:
		return fmt.Errorf("field %q: %w", field, err)
	}
}

// at adds the position to a syntax error.
func (r *reader) at(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it is incomplete: the run that wrote it may have been killed")
	case isSyntax(err):
		if r.json.InputOffset() == 0 {
			return errNoReport
		}
		return fmt.Errorf("invalid JSON near byte %d: %w", r.json.InputOffset(), err)
	}
	return err
}

func isSyntax(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax)
}

func checkSchema(id string) error {
	if id == schemaID {
		return nil
	}
	return fmt.Errorf("its schema is %q, but this version reads only %q", id, schemaID)
}

func (r *reader) finish() (*Report, error) {
	if r.seen["verdict"] && !r.seen["schema"] {
		return nil, errors.New("it is an ndjson report, but only json reports can be read")
	}
	for _, key := range []string{"schema", "summary", "results"} {
		if !r.seen[key] {
			return nil, fmt.Errorf("%w: field %q is missing", errNoReport, key)
		}
	}
	rep := &r.report
	rep.Summary.Started = rep.Head.Started
	rep.Summary.Soundness = result.Read(r.complete, r.stoppedBy, r.unsound)
	rep.Summary.Soundness.Checked, rep.Summary.Soundness.Known = r.checked, r.known
	rep.Summary.Targets = rep.Head.Targets
	s := &rep.Summary
	s.Links = s.References // includes the targets that the user named, which a report does not distinguish
	for _, one := range rep.Results {
		countResult(s, one)
	}
	countUnlisted(s.Broken-s.Known.Broken-s.Recent, &s.Internal.Broken, &s.External.Broken)
	countUnlisted(s.Unverified-s.Known.Unverified, &s.Internal.Unverified, &s.External.Unverified)
	countUnlisted(s.Warnings-s.Known.Warnings, &s.Internal.Warnings, &s.External.Warnings)
	return rep, nil
}

// countUnlisted counts findings that are in the summary but not in the results, because
// the report was written to show others. Their side is unknown, so they count on both
// sides: omitting findings must not make a run pass.
func countUnlisted(all int, internal, external *int) {
	if *internal == 0 && *external == 0 {
		*internal, *external = all, all
	}
}

// countResult counts what the summary of a report does not contain.
func countResult(s *result.Summary, r *result.Result) {
	side := &s.External
	if r.Internal {
		side = &s.Internal
	}
	switch known := slices.Contains(r.Known, r.Code); {
	case known, r.FailsAfter > 0:
	case r.Verdict == check.Broken:
		side.Broken++
	case r.Verdict == check.Unverified:
		side.Unverified++
	case r.Verdict == check.VerdictWarning:
		side.Warnings++
	}
	for _, w := range r.Warnings {
		if !w.IsInfo() && !w.IsVerdict(r.Code) && !slices.Contains(r.Known, w.Code) {
			side.Warnings++
		}
	}
	named := func(ref result.Reference) bool { return ref.Page == result.CommandLine }
	if r.Kind == result.KindTarget && r.Verdict == check.Broken && r.Code != check.CodeFragmentMissing && slices.ContainsFunc(r.References, named) {
		s.StartFailed = append(s.StartFailed, r.URL)
	}
}

type jsonSummary struct {
	Pages      int                `json:"pages"`
	Targets    int                `json:"targets"`
	References int                `json:"references"`
	Requests   int                `json:"requests"`
	OK         int                `json:"ok"`
	Broken     int                `json:"broken"`
	Documents  int                `json:"broken_documents"`
	Unverified int                `json:"unverified"`
	Skipped    int                `json:"skipped"`
	Warnings   int                `json:"warnings"`
	ByCode     map[check.Code]int `json:"by_code"`
	Cached     int                `json:"cached"`
	Known      struct {
		Broken     int `json:"broken"`
		Unverified int `json:"unverified"`
		Warnings   int `json:"warnings"`
	} `json:"known"`
	Findings *struct {
		Broken     int `json:"broken"`
		Unverified int `json:"unverified"`
		Warning    int `json:"warning"`
		Info       int `json:"info"`
	} `json:"findings"`
	Recent   int    `json:"recent"`
	Hidden   int    `json:"hidden"`
	Fixed    int    `json:"fixed"`
	Narrowed bool   `json:"narrowed"`
	Unsound  string `json:"unsound"`

	Checked      int `json:"checked"`
	KnownTargets int `json:"to_check"`
}

func (j *jsonSummary) into(s *result.Summary) {
	s.Pages, s.Results, s.References, s.Requests = j.Pages, j.Targets, j.References, j.Requests
	s.OK, s.Broken, s.Unverified, s.Skipped, s.Warnings = j.OK, j.Broken, j.Unverified, j.Skipped, j.Warnings
	s.ByCode, s.BrokenDocuments = j.ByCode, j.Documents
	s.Findings = (*result.FindingCounts)(j.Findings)
	s.Cached, s.Known, s.Recent, s.Fixed = j.Cached, result.Tally(j.Known), j.Recent, j.Fixed
	s.Narrowed, s.Hidden = j.Narrowed, j.Hidden
}

type jsonResult struct {
	URL         string             `json:"url"`
	Kind        result.Kind        `json:"kind"`
	Rule        string             `json:"rule"`
	Proposal    string             `json:"proposal"`
	Verdict     *check.Verdict     `json:"verdict"`
	Code        check.Code         `json:"code"`
	Message     string             `json:"message"`
	Scope       string             `json:"scope"`
	Status      int                `json:"status"`
	Attempts    int                `json:"attempts"`
	Elapsed     int64              `json:"elapsed_ms"`
	FinalURL    string             `json:"final_url"`
	Remapped    string             `json:"remapped_from"`
	ContentType string             `json:"content_type"`
	Size        *int64             `json:"size"`
	Redirects   []result.Hop       `json:"redirects"`
	Warnings    []check.Warning    `json:"warnings"`
	Suggestions []check.Suggestion `json:"suggestions"`
	Archive     *check.Archived    `json:"archive"`
	References  []jsonReference    `json:"references"`
	Cached      bool               `json:"cached"`
	Known       []check.Code       `json:"known"`
	BrokenRuns  int                `json:"broken_runs"`
	BrokenSince time.Time          `json:"broken_since"`
	FailsAfter  int                `json:"fails_after"`
	Level       check.Level        `json:"level"`
}

type jsonReference struct {
	Page         string  `json:"page"`
	Line         int     `json:"line"`
	Column       int     `json:"column"`
	Element      string  `json:"element"`
	Attribute    string  `json:"attribute"`
	Raw          string  `json:"raw"`
	Text         string  `json:"text"`
	Folder       string  `json:"folder"`
	Rendered     bool    `json:"rendered"`
	Selector     string  `json:"selector"`
	Known        bool    `json:"known"`
	Source       string  `json:"source"`
	SourceLine   int     `json:"source_line"`
	SourceColumn int     `json:"source_column"`
	SourceRaw    *string `json:"source_raw"`

	Unaffected []string `json:"unaffected"`
	Remapped   string   `json:"remapped_from"`
}

func (j *jsonReference) reference() result.Reference {
	r := result.Reference{Page: j.Page, Line: j.Line, Column: j.Column, Element: j.Element, Attribute: j.Attribute, Raw: j.Raw, Text: j.Text, Folder: j.Folder, Rendered: j.Rendered, Selector: j.Selector, Known: j.Known, RemappedFrom: j.Remapped, Unaffected: strings.Join(j.Unaffected, " ")}
	if j.Source != "" {
		r.Source = &result.Place{File: j.Source, Line: j.SourceLine, Column: j.SourceColumn, Raw: r.Raw}
		if j.SourceRaw != nil {
			r.Source.Raw = *j.SourceRaw
		}
	}
	return r
}

// ReadResult reads one result of a JSON report, as the format ndjson writes it.
func ReadResult(text []byte) (*result.Result, error) {
	var j jsonResult
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	return j.result()
}

func (j *jsonResult) result() (*result.Result, error) {
	if j.Verdict == nil {
		return nil, errors.New(`field "verdict" is missing`)
	}
	if j.Scope != "internal" && j.Scope != "external" {
		return nil, fmt.Errorf(`field "scope" is %q, not "internal" or "external"`, j.Scope)
	}
	if j.Kind != result.KindTarget && (j.Kind != result.KindPage || len(j.References) != 1) {
		return nil, fmt.Errorf(`field "kind" is %q: a result is about a target, or "page" with one reference`, j.Kind)
	}
	size := int64(-1)
	if j.Size != nil {
		size = *j.Size
	}
	references := make([]result.Reference, len(j.References))
	for i := range j.References {
		references[i] = j.References[i].reference()
	}
	return &result.Result{
		URL: j.URL, Kind: j.Kind, Rule: j.Rule, Proposal: j.Proposal, Verdict: *j.Verdict, Code: j.Code, Message: j.Message,
		Internal: j.Scope == "internal", Status: j.Status, Attempts: j.Attempts,
		Elapsed: milliseconds(j.Elapsed), FinalURL: j.FinalURL, RemappedFrom: j.Remapped, ContentType: j.ContentType,
		Size: size, Redirects: j.Redirects, Warnings: j.Warnings,
		Suggestions: j.Suggestions, Archive: j.Archive, References: references,
		Cached: j.Cached, Known: j.Known, BrokenRuns: j.BrokenRuns, BrokenSince: j.BrokenSince, FailsAfter: j.FailsAfter, Level: j.Level,
	}, nil
}

// milliseconds returns a duration, limited to the longest one.
func milliseconds(n int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Millisecond)
	return time.Duration(max(-most, min(n, most))) * time.Millisecond
}

// limitedReader reads n bytes and then fails, unlike io.LimitReader, which ends silently.
type limitedReader struct {
	in io.Reader
	n  int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.n <= 0 {
		// A report of exactly this size ends here; a larger one is an error.
		var one [1]byte
		if n, err := l.in.Read(one[:]); n == 0 {
			return 0, err
		}
		return 0, fmt.Errorf("it is larger than %d MiB", maxReport>>20)
	}
	n, err := l.in.Read(p[:min(int64(len(p)), l.n)])
	l.n -= int64(n)
	return n, err
}
