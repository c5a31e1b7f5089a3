package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// schemaID is the value of "schema" in a JSON report. Its number increases only when a
// field is removed or changed; new fields may be added at any time.
const schemaID = "orbweaver.report/1"

// run writes the fields of a report's object that precede its results.
func (j *jsonEncoder) run(h *Head, s *result.Summary) {
	if s == nil {
		s = &result.Summary{}
	}
	started, targets := h.of(s)
	j.key("schema").string(schemaID)
	j.key("tool").row()
	j.key("name").string(h.Tool.Name)
	j.key("version").string(h.Tool.Version)
	optional(j, "clamd", h.Tool.Clamd)
	j.end()
	j.key("started").time(started)
	j.key("elapsed_ms").int(s.Elapsed.Milliseconds())
	j.key("complete").bool(s.Soundness.Complete())
	j.key("stopped_by").string(s.Soundness.StoppedBy)
	j.key("targets").strings(targets)
	if len(h.Codes) > 0 {
		j.key("codes").array()
		for _, c := range h.Codes {
			j.row()
			j.key("code").string(string(c.Code))
			j.key("title").string(c.Title)
			j.key("severity").string(c.Severity.String())
			optional(j, "advice", c.Advice)
			j.end()
		}
		j.end()
	}
	j.key("summary").object()
	j.key("pages").int(int64(s.Pages))
	j.key("targets").int(int64(s.Results))
	j.key("references").int(int64(s.References))
	j.key("requests").int(int64(s.Requests))
	j.key("ok").int(int64(s.OK))
	j.key("broken").int(int64(s.Broken))
	optional(j, "broken_documents", s.BrokenDocuments)
	j.key("unverified").int(int64(s.Unverified))
	j.key("skipped").int(int64(s.Skipped))
	j.key("warnings").int(int64(s.Warnings))
	j.key("by_code").object()
	for _, code := range slices.Sorted(maps.Keys(s.ByCode)) {
		j.key(string(code)).int(int64(s.ByCode[code]))
	}
	j.end()
	if f := s.Findings; f != nil {
		j.key("findings").row()
		j.key("broken").int(int64(f.Broken))
		j.key("unverified").int(int64(f.Unverified))
		j.key("warning").int(int64(f.Warning))
		j.key("info").int(int64(f.Info))
		j.end()
	}
	optional(j, "cached", s.Cached)
	if s.Known != (result.Tally{}) {
		j.key("known").row()
		j.key("broken").int(int64(s.Known.Broken))
		j.key("unverified").int(int64(s.Known.Unverified))
		j.key("warnings").int(int64(s.Known.Warnings))
		j.end()
	}
	optional(j, "recent", s.Recent)
	optional(j, "hidden", s.Hidden)
	optional(j, "fixed", s.Fixed)
	optional(j, "narrowed", s.Narrowed)
	j.key("sound").bool(s.Soundness.IsSound())
	optional(j, "unsound", s.Soundness.Why)
	if s.Soundness.Known > 0 {
		j.key("checked").int(int64(s.Soundness.Checked))
		j.key("to_check").int(int64(s.Soundness.Known))
	}
	j.end()
}

func (j *jsonEncoder) result(r *result.Result) {
	j.object()
	j.key("url").string(r.URL)
	optional(j, "kind", string(r.Kind))
	j.key("verdict").string(r.Verdict.String())
	j.key("code").string(string(r.Code))
	j.key("message").string(r.Message)
	optional(j, "rule", r.Rule)
	optional(j, "proposal", r.Proposal)
	j.key("scope").string(scope(r.Internal))
	j.key("status").int(int64(r.Status))
	j.key("attempts").int(int64(r.Attempts))
	j.key("elapsed_ms").int(r.Elapsed.Milliseconds())
	j.key("final_url").string(r.FinalURL)
	optional(j, "remapped_from", r.RemappedFrom)
	j.key("content_type").string(r.ContentType)
	j.key("size").int(r.Size)
	j.key("redirects").array()
	for _, hop := range r.Redirects {
		j.row()
		j.key("url").string(hop.URL)
		j.key("status").int(int64(hop.Status))
		j.end()
	}
	j.end()
	j.key("warnings").array()
	for _, w := range r.Warnings {
		j.warning(w)
	}
	j.end()
	j.key("suggestions").suggestions(r.Suggestions)
	if r.Archive != nil {
		j.key("archive")
		writeArchived(j, r.Archive)
	}
	j.key("references").references(r.References)
	optional(j, "cached", r.Cached)
	if len(r.Known) > 0 {
		codes := make([]string, len(r.Known))
		for i, code := range r.Known {
			codes[i] = string(code)
		}
		j.key("known").strings(codes)
	}
	if r.BrokenRuns > 0 {
		j.key("broken_runs").int(int64(r.BrokenRuns))
		j.key("broken_since").time(r.BrokenSince)
	}
	optional(j, "fails_after", r.FailsAfter)
	optional(j, "level", string(r.Level))
	j.end()
}

func scope(internal bool) string {
	if internal {
		return "internal"
	}
	return "external"
}

func (j *jsonEncoder) warning(w check.Warning) {
	j.row()
	j.key("code").string(string(w.Code))
	j.key("message").string(w.Message)
	optional(j, "proposal", w.Proposal)
	optional(j, "level", string(w.Level))
	if d := w.Drift; d != nil {
		j.key("similarity").value()
		j.buf = strconv.AppendFloat(j.buf, d.Similarity, 'f', -1, 64)
		j.key("first_seen").time(d.FirstSeen)
		j.key("last_same").time(d.LastSame)
		j.key("change").string(d.Change)
		optional(j, "title_was", d.TitleWas)
		optional(j, "title_is", d.TitleIs)
	}
	j.end()
}

// writeArchived writes what an archive knows of a target.
func writeArchived(j *jsonEncoder, a *check.Archived) {
	j.row()
	j.key("service").string(a.Service)
	j.key("class").string(a.Class)
	if !a.FirstSeen.IsZero() {
		j.key("first_seen").time(a.FirstSeen)
	}
	if !a.LastSeen.IsZero() {
		j.key("last_seen").time(a.LastSeen)
	}
	if c := a.LastGood; c != nil {
		j.key("last_good").row()
		j.key("url").string(c.URL)
		j.key("time").time(c.Time)
		j.end()
	}
	optional(j, "moved_to", a.MovedTo)
	j.end()
}

func (j *jsonEncoder) suggestions(all []check.Suggestion) {
	j.array()
	for _, s := range all {
		j.row()
		j.key("url").string(s.URL)
		j.key("why").string(s.Why)
		optional(j, "unique", s.Unique)
		j.end()
	}
	j.end()
}

func (j *jsonEncoder) references(all []result.Reference) {
	j.array()
	for i := range all {
		r := &all[i]
		j.row()
		j.key("page").string(r.Page)
		j.key("line").int(int64(r.Line))
		j.key("column").int(int64(r.Column))
		j.key("element").string(r.Element)
		j.key("attribute").string(r.Attribute)
		j.key("raw").string(r.Raw)
		j.key("text").string(r.Text)
		optional(j, "folder", r.Folder)
		if r.Rendered {
			j.key("rendered").bool(true)
			j.key("selector").string(r.Selector)
		}
		optional(j, "known", r.Known)
		optional(j, "remapped_from", r.RemappedFrom)
		if r.Unaffected != "" {
			j.key("unaffected").strings(strings.Fields(r.Unaffected))
		}
		if s := r.Source; s != nil {
			j.key("source").string(s.File)
			j.key("source_line").int(int64(s.Line))
			j.key("source_column").int(int64(s.Column))
			if s.Raw != r.Raw {
				j.key("source_raw").string(s.Raw)
			}
		}
		j.end()
	}
	j.end()
}

func (j *jsonEncoder) strings(all []string) {
	j.array()
	for _, s := range all {
		j.string(s)
	}
	j.end()
}

// time writes a time in UTC, to the second (RFC 3339).
func (j *jsonEncoder) time(t time.Time) { j.string(t.UTC().Format(time.RFC3339)) }
