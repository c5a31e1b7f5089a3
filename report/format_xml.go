package report

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var xmlFormat = Format{
	Name:       "xml",
	Extensions: []string{".xml"},
	Use:        "programs that read XML; the same content as JSON, with a schema",
	References: true,
	New:        func(w io.Writer, o Options) Writer { return &xmlWriter{xml: xmlEncoder{w: w}} },
}

// xmlNamespace is the namespace of the vocabulary that report.xsd describes.
const xmlNamespace = "urn:orbweaver:report:1"

// xmlWriter writes the content of a JSON report with the same names, as report.xsd
// describes it.
type xmlWriter struct{ xml xmlEncoder }

func (x *xmlWriter) Begin(h *Head) error {
	s := h.Summary
	if s == nil {
		s = &result.Summary{}
	}
	started, targets := h.of(s)
	t := &x.xml
	t.declare()
	t.start("report", "xmlns", xmlNamespace, "schema", schemaID, "started", started.UTC().Format(time.RFC3339),
		"elapsed_ms", strconv.FormatInt(s.Elapsed.Milliseconds(), 10),
		"complete", strconv.FormatBool(s.Soundness.Complete()), "stopped_by", s.Soundness.StoppedBy)
	t.start("tool", "name", h.Tool.Name, "version", h.Tool.Version)
	t.given("clamd", h.Tool.Clamd)
	t.end()
	for _, target := range targets {
		t.leaf("target", target)
	}
	for _, c := range h.Codes {
		t.start("code", "code", string(c.Code), "severity", c.Severity.String())
		t.leaf("title", c.Title)
		t.optional("advice", c.Advice)
		t.end()
	}
	t.start("summary", "pages", strconv.Itoa(s.Pages), "targets", strconv.Itoa(s.Results),
		"references", strconv.Itoa(s.References), "requests", strconv.Itoa(s.Requests),
		"ok", strconv.Itoa(s.OK), "broken", strconv.Itoa(s.Broken), "unverified", strconv.Itoa(s.Unverified),
		"skipped", strconv.Itoa(s.Skipped), "warnings", strconv.Itoa(s.Warnings), "sound", strconv.FormatBool(s.Soundness.IsSound()))
	t.given("unsound", s.Soundness.Why)
	if s.Soundness.Known > 0 {
		t.attribute("checked", strconv.Itoa(s.Soundness.Checked))
		t.attribute("to_check", strconv.Itoa(s.Soundness.Known))
	}
	t.count("cached", s.Cached)
	t.count("recent", s.Recent)
	t.count("hidden", s.Hidden)
	t.count("fixed", s.Fixed)
	t.count("broken_documents", s.BrokenDocuments)
	for _, code := range slices.Sorted(maps.Keys(s.ByCode)) {
		t.leaf("by_code", "", "code", string(code), "count", strconv.Itoa(s.ByCode[code]))
	}
	if s.Known != (result.Tally{}) {
		t.leaf("known", "", "broken", strconv.Itoa(s.Known.Broken), "unverified", strconv.Itoa(s.Known.Unverified), "warnings", strconv.Itoa(s.Known.Warnings))
	}
	if f := s.Findings; f != nil {
		t.leaf("findings", "", "broken", strconv.Itoa(f.Broken), "unverified", strconv.Itoa(f.Unverified),
			"warning", strconv.Itoa(f.Warning), "info", strconv.Itoa(f.Info))
	}
	t.end()
	return t.err
}

func (x *xmlWriter) Result(r *result.Result) error {
	t := &x.xml
	t.start("result", "url", r.URL, "verdict", r.Verdict.String(), "code", string(r.Code), "scope", scope(r.Internal),
		"status", strconv.Itoa(r.Status), "attempts", strconv.Itoa(r.Attempts),
		"elapsed_ms", strconv.FormatInt(r.Elapsed.Milliseconds(), 10),
		"final_url", r.FinalURL, "content_type", r.ContentType, "size", strconv.FormatInt(r.Size, 10))
	t.flag("cached", r.Cached)
	t.given("known", joinCodes(r.Known))
	if r.BrokenRuns > 0 {
		t.count("broken_runs", r.BrokenRuns)
		t.attribute("broken_since", r.BrokenSince.UTC().Format(time.RFC3339))
	}
	t.count("fails_after", r.FailsAfter)
	t.given("level", string(r.Level))
	t.given("kind", string(r.Kind))
	t.given("rule", r.Rule)
	t.given("remapped_from", r.RemappedFrom)
	t.leaf("message", r.Message)
	t.optional("proposal", r.Proposal)
	for _, hop := range r.Redirects {
		t.leaf("redirect", "", "url", hop.URL, "status", strconv.Itoa(hop.Status))
	}
	for _, w := range r.Warnings {
		t.start("warning", "code", string(w.Code))
		t.given("proposal", w.Proposal)
		t.given("level", string(w.Level))
		t.text(w.Message)
		t.end()
	}
	for _, s := range r.Suggestions {
		t.start("suggestion", "url", s.URL)
		t.flag("unique", s.Unique)
		t.text(s.Why)
		t.end()
	}
	for i := range r.References {
		ref := &r.References[i]
		t.start("reference", "page", ref.Page, "line", strconv.Itoa(ref.Line), "column", strconv.Itoa(ref.Column),
			"element", ref.Element, "attribute", ref.Attribute)
		t.flag("known", ref.Known)
		t.given("folder", ref.Folder)
		t.given("remapped_from", ref.RemappedFrom)
		t.given("unaffected", ref.Unaffected)
		if s := ref.Source; s != nil {
			t.attribute("source", s.File)
			t.attribute("source_line", strconv.Itoa(s.Line))
			t.attribute("source_column", strconv.Itoa(s.Column))
			if s.Raw != ref.Raw {
				t.attribute("source_raw", s.Raw)
			}
		}
		t.leaf("raw", ref.Raw)
		t.leaf("text", ref.Text)
		t.end()
	}
	t.end()
	return t.err
}

func (x *xmlWriter) End(*result.Summary) error {
	return x.xml.finish()
}
