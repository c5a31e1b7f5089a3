package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/similar"
	"github.com/orbweaver/orbweaver/crawler/check"
)

func (s *Server) check(ctx context.Context, c *call) (map[string]any, error) {
	asked := &Asked{Target: c.text("target"), Options: map[string][]string{}, Requests: s.config.CallBudget, Progress: c.progress}
	given, _ := c.arguments["options"].(map[string]any)
	for name, value := range given {
		if name == "max-requests" {
			asked.Requests = min(asked.Requests, arguments(given).number(name, asked.Requests))
			continue
		}
		asked.Options[name] = optionTexts(value)
	}
	leave, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	made, err := s.engine.Check(ctx, asked)
	leave()
	if err != nil {
		return nil, err
	}
	r, err := s.runs.add(made)
	if err != nil {
		return nil, err
	}
	return r.answer(&filter{}, c, map[string]any{"exit_status": r.exit, "complete": r.whole.Complete, "stopped_by": r.whole.StoppedBy,
		"summary": r.whole.Summary, "budget_left": s.engine.Left()})
}

// optionTexts returns the value of an option as a command line would have it.
func optionTexts(value any) []string {
	switch v := value.(type) {
	case bool:
		return []string{fmt.Sprint(v)}
	case []any:
		return arguments{"": v}.texts("")
	case json.Number:
		return []string{v.String()}
	}
	text, _ := value.(string)
	return []string{text}
}

func (s *Server) findings(_ context.Context, c *call) (map[string]any, error) {
	r, err := s.runs.find(c.text("run"))
	if err != nil {
		return nil, err
	}
	f := &filter{verdicts: splitWords(c.text("verdict")), codes: splitWords(c.text("code")), page: c.text("page"), q: c.text("q")}
	for _, word := range f.verdicts {
		if !slices.Contains(verdicts, word) {
			return nil, fmt.Errorf("verdict %q is unknown: %s", shortWord(word), meantOr(word, verdicts))
		}
	}
	for _, word := range f.codes {
		if _, ok := check.Lookup(check.Code(word)); !ok {
			return nil, unknownCode(word)
		}
	}
	return r.answer(f, c, map[string]any{})
}

func shortWord(word string) string {
	text, _ := cut(word, 60)
	return text
}

// meantOr names the nearest word or, if there is none, all.
func meantOr(word string, known []string) string {
	if near := similar.Word(word, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "use " + strings.Join(known, ", ")
}

// unknownCode is the error about a word that is no code. It names the nearest code, if there is one.
func unknownCode(word string) error {
	if near, ok := check.Nearest(word); ok {
		return fmt.Errorf("code %q is unknown: did you mean %s?", shortWord(word), near)
	}
	return fmt.Errorf("code %q is unknown, and resembles no code: use one that check or findings gave, such as %s", shortWord(word), check.CodeFileMissing)
}

// answer adds a page of the items that a filter selects to an answer.
func (r *run) answer(f *filter, c *call, answer map[string]any) (map[string]any, error) {
	chosen, err := r.choose(f)
	if err != nil {
		return nil, err
	}
	list := f.list()
	at, err := parseCursor(c.text("after"), r.id, list, len(chosen))
	if err != nil {
		return nil, err
	}
	answer["run"], answer["state"], answer["total"] = r.id, r.state, len(chosen)
	if summary, ok := answer["summary"].(json.RawMessage); ok {
		answer["summary"] = shortSummary(summary)
	}
	n, err := fitItems(answer, c.most, c.number("limit", 1000), len(chosen)-at, func(i, length int) any { return chosen[at+i].show(length) })
	answer["next"] = next(r.id, list, at+n, len(chosen))
	return answer, err
}

// maxSummary is the most bytes of a summary with its counts by code.
const maxSummary = 700

// shortSummary leaves the counts by code out of a summary that is long.
func shortSummary(summary json.RawMessage) any {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(summary, &all); err != nil {
		return summary // it was just written
	}
	if len(summary) > maxSummary {
		delete(all, "by_code")
		delete(all, "start_failed")
	}
	return all
}

func (i *item) show(length int) map[string]any {
	var isCut, pageCut, suggestionCut bool
	shown := map[string]any{"id": i.id, "verdict": i.verdict, "code": i.code, "places": i.places, "line": i.line, "column": i.column, "suggestion": nil}
	shown["url"], isCut = cut(i.url, length)
	shown["page"], pageCut = cut(i.page, length)
	shown["message"], _ = cut(i.message, length)
	if i.suggestion != "" {
		shown["suggestion"], suggestionCut = cut(i.suggestion, length)
	}
	if isCut || pageCut || suggestionCut {
		shown["cut"] = true
	}
	return shown
}

// finding gives a result whole, with its references page by page.
func (s *Server) finding(_ context.Context, c *call) (map[string]any, error) {
	r, err := s.runs.find(c.text("run"))
	if err != nil {
		return nil, err
	}
	n := slices.IndexFunc(r.items, func(i item) bool { return i.id == c.text("id") })
	if n < 0 {
		return nil, fmt.Errorf("id: run %s has no finding %q: use an id that findings gave", r.id, shortWord(c.text("id")))
	}
	text, err := r.results.read(r.items[n].result)
	if err != nil {
		return nil, err
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("read the result: %w", err)
	}
	references, _ := whole["references"].([]any)
	at, err := parseCursor(c.text("after"), r.id, c.text("id"), len(references))
	if err != nil {
		return nil, err
	}
	delete(whole, "references")
	whole["id"] = c.text("id")
	answer, err := fitWhole(whole, c.most-len(`"references":[],`))
	if err != nil {
		return nil, err
	}
	added, err := fitItems(answer, c.most, len(references), len(references)-at, func(i, length int) any { return cleanAll(references[at+i], length) })
	if err != nil {
		return nil, err
	}
	answer["references"] = answer["items"]
	delete(answer, "items")
	answer["next"] = next(r.id, c.text("id"), at+added, len(references))
	return answer, nil
}

// fitWhole cuts the texts of a result until there is room for a reference beside it. URLs are
// whole if they can be.
func fitWhole(whole map[string]any, most int) (map[string]any, error) {
	const room = 400
	for _, length := range append([]int{1 << 20}, lengths...) {
		shown, _ := cleanAll(whole, length).(map[string]any)
		text, err := encode(shown)
		if err != nil {
			return nil, err
		}
		if len(text)+room <= most {
			return shown, nil
		}
	}
	shown, _ := cleanAll(whole, lengths[len(lengths)-1]).(map[string]any)
	for _, list := range []string{"redirects", "suggestions", "warnings"} {
		shown[list] = []any{}
		shown["cut"] = true
	}
	return shown, nil
}

// cleanAll cleans and cuts all texts of a value, and marks the object in which a URL is cut.
func cleanAll(value any, length int) any {
	switch v := value.(type) {
	case string:
		text, _ := cut(v, length)
		return text
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = cleanAll(v[i], length)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v)+1)
		for key, member := range v {
			all[key] = cleanAll(member, length)
			if text, ok := member.(string); ok && all[key] != clean(text) && (strings.HasSuffix(key, "url") || key == "page") {
				all["cut"] = true
			}
		}
		return all
	}
	return value
}

// explain tells about a code or a URL.
func (s *Server) explain(_ context.Context, c *call) (map[string]any, error) {
	code, url := c.text("code"), c.text("url")
	if (code == "") == (url == "") {
		return nil, errors.New("explain needs one of its two arguments: give code, or url")
	}
	if url != "" {
		e, err := s.engine.ExplainURL(url)
		if err != nil {
			return nil, err
		}
		return fitTexts(map[string]any{"url": url, "printed": e.Printed, "scope": e.Scope, "rules": anyTexts(e.Rules)}, c.most)
	}
	e, ok := check.Lookup(check.Code(code))
	if !ok {
		return nil, unknownCode(code)
	}
	return fitTexts(map[string]any{"code": string(e.Code), "title": e.Title, "explanation": e.Explanation, "advice": e.Advice, "example": e.Example}, c.most)
}

func anyTexts(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}

// fitTexts cuts the texts of an answer until it fits.
func fitTexts(answer map[string]any, most int) (map[string]any, error) {
	for length := 4 * usualAnswer; ; length /= 2 {
		shown, _ := cleanAll(answer, length).(map[string]any)
		text, err := encode(shown)
		if err != nil || len(text) <= most || length < 16 {
			return shown, err
		}
	}
}
