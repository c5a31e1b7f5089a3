package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// diagnostic is a finding as editors show it.
type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

var severities = map[check.Verdict]int{check.Broken: 1, check.VerdictWarning: 2, check.Unverified: 3, check.VerdictInfo: 4}

// maxDiagnosticMessage is the greatest length of a message, in characters.
const maxDiagnosticMessage = 500

// printable returns a text with control characters made visible and passwords hidden.
func printable(text string) string { return report.Visible(urinorm.Redact(text)) }

// cut shortens a text to a number of characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	return string(runes[:most-1]) + "…"
}

func messageOf(f *workspace.Finding, maxAge time.Duration) string {
	message, more := printable(f.Message), ""
	if f.Meant != "" {
		more = "; did you mean " + printable(f.Meant) + "?"
	}
	if utf8.RuneCountInString(more) > maxDiagnosticMessage/2 {
		more = cut(more, maxDiagnosticMessage/2)
	}
	if f.Target != nil && !f.Target.Observed.IsZero() {
		more += "; " + observedAt(f.Target, maxAge)
	}
	return cut(message, maxDiagnosticMessage-utf8.RuneCountInString(more)) + more
}

func observedAt(t *workspace.Target, maxAge time.Duration) string {
	text := "observed " + t.Observed.UTC().Format(time.RFC3339)
	if time.Since(t.Observed) >= maxAge {
		text += ", stale"
	}
	return text
}

func diagnosticsOf(o *folder, state *judged, path string, e encoding) []diagnostic {
	all := []diagnostic{}
	if state.fault != nil {
		if state.isFaulty(path) {
			all = append(all, faultOf(o, state.fault, e))
		}
		return all
	}
	findings := state.index.Document(path).Findings()
	if len(findings) == 0 || o.file != "" && path != o.file {
		return all
	}
	t := textOf(state, path)
	for i := range findings {
		f := &findings[i]
		all = append(all, diagnostic{t.spanOf(int(f.Line), int(f.Column), f.Raw, e), severities[f.Severity], string(f.Code), "orbweaver", messageOf(f, state.judge.MaxAge())})
	}
	return all
}

func textOf(state *judged, path string) *text {
	if open, ok := state.index.Texts[path]; ok {
		return newText(string(open))
	}
	return newText(state.judge.Text(path))
}

// faultPlace finds the place of an error in a configuration: a line and column, or the name of a key.
var (
	faultPlace = lazy.Regexp(`orbweaver\.toml:(\d+):(\d+)`)
	faultKey   = lazy.Regexp(`(?:^|\s|key )(?:--)?([a-z0-9-]+)(?:,? in orbweaver\.toml|:)`)
)

// faultOf returns the finding about a configuration that check would refuse.
func faultOf(o *folder, fault error, e encoding) diagnostic {
	message := fault.Error()
	text := newText(readSmall(filepath.Join(o.dir, configName)))
	line, column := 1, 1
	if m := faultPlace().FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		column, _ = strconv.Atoi(m[2])
	} else if m := faultKey().FindStringSubmatch(message); m != nil {
		for n := range text.starts {
			start, end := text.line(n)
			key, _, found := strings.Cut(text.body[start:end], "=")
			if found && strings.Trim(strings.TrimSpace(key), `"'`) == m[1] {
				line = n + 1
				break
			}
		}
	}
	at := text.spanOf(max(line, 1), max(column, 1), "", e)
	if at.Start.Character == 0 && int(at.Start.Line) < len(text.starts) {
		_, end := text.line(int(at.Start.Line))
		at.End = text.position(end, e)
	}
	return diagnostic{at, 1, "config", "orbweaver", cut(printable(message), maxDiagnosticMessage)}
}

// published is what an editor was sent about a document.
type published struct {
	uri     string
	hash    uint64
	version *int32
	some    bool // it had findings
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

// tell tells the editor about the findings of documents that may be others.
func (j *judging) tell(o *folder, old, state judged, touched []string) {
	s := j.server
	can := s.client.capabilities()
	refresh := false
	for _, path := range touched {
		if state.index != nil && state.index.Due[path] != (workspace.Due{}) {
			continue // they are those of an earlier text
		}
		abs := filepath.Join(o.dir, filepath.FromSlash(path))
		version, open := state.versions[path]
		if before, known := j.published[abs]; !open && (!known || !before.some) && !hasFindings(&state, path) || !s.folders.owns(o, abs) {
			continue
		}
		if can.pulls() {
			hash, some := state.digest(path)
			if before, known := j.published[abs]; (known || some) && before.hash != hash {
				refresh = refresh || state.versions[path] == old.versions[path]
			}
			j.published[abs] = published{hash: hash, some: some}
			continue
		}
		diagnostics := diagnosticsOf(o, &state, path, s.texts.encoding)
		if open {
			j.publish(abs, &version, diagnostics)
		} else {
			j.publish(abs, nil, diagnostics)
		}
	}
	if refresh && can.Workspace.Diagnostics.RefreshSupport {
		s.client.ask("workspace/diagnostic/refresh", nil, nil)
	}
}

func hasFindings(state *judged, path string) bool {
	if state.fault != nil {
		return state.isFaulty(path)
	}
	return len(state.index.Document(path).Findings()) > 0
}

// digest returns a hash of the findings of a document, without their places in its text, which take longer to find
// in a large one, and whether there are any.
func (j *judged) digest(path string) (hash uint64, some bool) {
	if j.fault != nil {
		return xxhash.Sum64String(j.fault.Error()), j.isFaulty(path)
	}
	findings, h := j.index.Document(path).Findings(), xxhash.New()
	for i := range findings {
		f := &findings[i]
		fmt.Fprintln(h, f.Line, f.Column, f.Raw, f.Severity, f.Code, f.Message, f.Meant)
		if f.Target != nil {
			fmt.Fprintln(h, f.Target.Observed)
		}
	}
	return h.Sum64(), len(findings) > 0
}

func hashOf(diagnostics []diagnostic) uint64 { return xxhash.Sum64(marshal(diagnostics)) }

// publish sends the findings of a document, if they are others or the version is.
func (j *judging) publish(path string, version *int32, diagnostics []diagnostic) {
	s := j.server
	if diagnostics == nil {
		diagnostics = []diagnostic{}
	}
	if s.client.capabilities().pulls() {
		delete(j.published, path)
		return
	}
	now := published{s.folders.uriOf(path), hashOf(diagnostics), version, len(diagnostics) > 0}
	before, known := j.published[path]
	if known && before.uri != now.uri && before.some {
		s.client.notify("textDocument/publishDiagnostics", publishParams{URI: before.uri, Diagnostics: []diagnostic{}})
		delete(j.published, path)
		before, known = published{}, false
	}
	same := before.version == version || before.version != nil && version != nil && *before.version == *version
	if known && same && before.hash == now.hash || !known && version == nil && !now.some {
		return
	}
	if before.version != nil && version != nil && *version < *before.version {
		version = nil // the editor went back: it would take the findings for old ones
	}
	if j.published[path] = now; version == nil && !now.some {
		delete(j.published, path)
	}
	s.client.notify("textDocument/publishDiagnostics", publishParams{now.uri, version, diagnostics})
}

type documentDiagnosticParams struct {
	TextDocument     textDocument `json:"textDocument" need:"yes"`
	PreviousResultID string       `json:"previousResultId"`
}

// diagnosticReport is the answer about one document.
type diagnosticReport struct {
	URI      string        `json:"uri,omitempty"`
	Version  *nullable     `json:"version,omitempty"`
	Kind     string        `json:"kind"`
	ResultID string        `json:"resultId"`
	Items    *[]diagnostic `json:"items,omitempty"`
}

// nullable is a version, or null for a document that is not open.
type nullable struct{ version *int32 }

func (n nullable) MarshalJSON() ([]byte, error) { return marshal(n.version), nil }

// reportOn returns the report about findings, whose earlier report had an id.
func reportOn(diagnostics []diagnostic, previous string) diagnosticReport {
	id := fmt.Sprintf("%016x", hashOf(diagnostics))
	if id == previous {
		return diagnosticReport{Kind: "unchanged", ResultID: id}
	}
	return diagnosticReport{Kind: "full", ResultID: id, Items: &diagnostics}
}

func documentDiagnostic(ctx context.Context, s *Server, p *documentDiagnosticParams) (any, error) {
	path := placeOf(p.TextDocument.URI)
	s.judging.rouse()
	o, state, known, err := s.folders.await(ctx, path, false)
	if err != nil {
		return nil, err
	}
	if !known {
		return reportOn([]diagnostic{}, p.PreviousResultID), nil
	}
	return reportOn(diagnosticsOf(o, &state, o.rel(path), s.texts.encoding), p.PreviousResultID), nil
}

type workspaceDiagnosticParams struct {
	PreviousResultIDs []struct {
		URI   string `json:"uri"`
		Value string `json:"value"`
	} `json:"previousResultIds"`
	PartialResultToken any `json:"partialResultToken"`
}

// partialReports is how many reports one part of a streamed answer has.
const partialReports = 100

func workspaceDiagnostic(ctx context.Context, s *Server, p *workspaceDiagnosticParams) (any, error) {
	previous := map[string]string{}
	for _, r := range p.PreviousResultIDs {
		previous[r.URI] = r.Value
	}
	s.judging.rouse()
	all := []diagnosticReport{}
	for _, o := range s.folders.list() {
		o, state, known, err := s.folders.await(ctx, o.probe(), true)
		if err != nil {
			return nil, err
		}
		if known {
			all = append(all, s.reports(o, &state, previous)...)
		}
	}
	for uri, id := range previous { // their findings are gone
		r := reportOn([]diagnostic{}, id)
		r.URI, r.Version = uri, &nullable{versionOf(s.folders, uri)}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b diagnosticReport) int { return strings.Compare(a.URI, b.URI) })
	all = slices.CompactFunc(all, func(a, b diagnosticReport) bool { return a.URI == b.URI })
	type items struct {
		Items []diagnosticReport `json:"items"`
	}
	if p.PartialResultToken == nil {
		return items{all}, nil
	}
	for part := range slices.Chunk(all, partialReports) {
		s.client.notify("$/progress", map[string]any{"token": p.PartialResultToken, "value": items{part}})
	}
	return items{[]diagnosticReport{}}, nil
}

// reports returns the reports on the documents of a folder with findings, and removes those from the
// previous ones.
func (s *Server) reports(o *folder, state *judged, previous map[string]string) (all []diagnosticReport) {
	paths := []string{configName}
	if state.index != nil {
		paths = state.index.Paths()
	}
	for _, path := range paths {
		abs := filepath.Join(o.dir, filepath.FromSlash(path))
		if !s.folders.owns(o, abs) || !hasFindings(state, path) {
			continue
		}
		uri := s.folders.uriOf(abs)
		r := reportOn(diagnosticsOf(o, state, path, s.texts.encoding), previous[uri])
		r.URI, r.Version = uri, &nullable{}
		if version, open := state.versions[path]; open {
			r.Version.version = &version
		}
		delete(previous, uri)
		all = append(all, r)
	}
	return all
}
