package mcp

import (
	"context"
	"maps"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type tool struct {
	name, title, doc string
	arguments        []argument
	result           map[string]any
	hints            sdk.ToolAnnotations
	call             func(ctx context.Context, c *call) (map[string]any, error)
}

func hints(readOnly, open bool) sdk.ToolAnnotations {
	destroys := !readOnly
	return sdk.ToolAnnotations{ReadOnlyHint: readOnly, DestructiveHint: &destroys, IdempotentHint: true, OpenWorldHint: &open}
}

// Arguments that several tools have.
var (
	ofRun    = argument{name: "run", kind: Text, doc: "Name of a run, from check.", required: true}
	after    = argument{name: "after", kind: Text, doc: "next of the page before."}
	limit    = argument{name: "limit", kind: Whole, doc: "Most items of a page.", least: 1, most: 1000}
	maxBytes = argument{name: "max_bytes", kind: Whole, doc: "Most bytes of the answer; 2048 without it.", least: leastAnswer, most: mostAnswer}
)

var isItem = object(map[string]any{"id": isText, "url": isText, "verdict": isText, "code": isText, "message": isText, "places": isNumber,
	"page": isText, "line": isNumber, "column": isNumber, "suggestion": isCursor}, map[string]any{"cut": isSwitch})

func (s *Server) tools() []tool {
	state := map[string]any{"run": isText, "state": isText, "items": array(isItem), "next": isCursor, "total": isNumber}
	check := maps.Clone(state)
	maps.Copy(check, map[string]any{"exit_status": isNumber, "complete": isSwitch, "stopped_by": isText, "summary": isAny, "budget_left": isNumber})
	all := []tool{
		{name: "check", title: "Check links", hints: hints(true, true), call: s.check, result: object(check, nil),
			doc: "Checks the links of a website, or of a file or directory below a root, and waits for the end. Gives counts and the first findings: broken links, unverified ones, warnings. findings gives the rest.",
			arguments: []argument{{name: "target", kind: Text, doc: "An http or https URL, or a path.", required: true},
				{name: "options", kind: Members, doc: "Options of orbweaver check.", members: s.options()}, limit, maxBytes}},
		{name: "findings", title: "List findings of a run", hints: hints(true, false), call: s.findings, result: object(state, nil),
			doc: "Lists the findings of a run, page by page; without verdict: broken, unverified, then warnings.",
			arguments: []argument{ofRun, {name: "verdict", kind: Text, doc: "broken, unverified, warning, ok, skipped; several with commas."},
				{name: "code", kind: Text, doc: "Codes, with commas."}, {name: "page", kind: Text, doc: "Only what is on this page."},
				{name: "q", kind: Text, doc: "A part of the URL or the message."}, after, limit, maxBytes}},
		{name: "finding", title: "One finding in full", hints: hints(true, false), call: s.finding,
			result:    object(map[string]any{"id": isText, "references": array(isAny), "next": isCursor}, nil),
			doc:       "Gives one finding as it is in the report, with every place that refers to the target, page by page.",
			arguments: []argument{ofRun, {name: "id", kind: Text, doc: "id of the finding.", required: true}, after, maxBytes}},
		{name: "explain", title: "Explain a code or a URL", hints: hints(true, false), call: s.explain,
			result: object(map[string]any{}, map[string]any{"code": isText, "title": isText, "explanation": isText, "advice": isText, "example": isText,
				"url": isText, "printed": isText, "scope": isText, "rules": isTexts}),
			doc:       "Tells what a code means and what to do about it, or which settings apply to a URL. Requests nothing. Give one of the two.",
			arguments: []argument{{name: "code", kind: Text, doc: "A code, such as fragment-missing."}, {name: "url", kind: Text, doc: "An absolute URL."}}},
		{name: "verify", title: "Verify URLs", hints: hints(true, true), call: s.verify,
			result: object(map[string]any{"items": array(object(map[string]any{"url": isText, "answer": isText, "verdict": isText, "code": isText, "message": isText, "observed": isCursor, "sources": isTexts},
				map[string]any{"final_url": isText, "status": isNumber, "title": isText, "last_ok": isText, "archived": isText, "cut": isSwitch})),
				"next": isCursor, "total": isNumber, "budget_left": isNumber}, nil),
			doc:       "Says of each URL, with its fragment, whether it works, is dead, was never seen to exist, or cannot be verified. Use it before you write a link. Answers of the last 5 minutes are given again unless fresh is true.",
			arguments: []argument{{name: "urls", kind: Texts, doc: "URLs.", required: true, least: 1, most: 20}, {name: "fresh", kind: Switch, doc: "Request all again."}, after, maxBytes}},
		{name: "fixes", title: "Proposed edits", hints: hints(true, false), call: s.listFixes,
			result: object(map[string]any{"items": array(object(map[string]any{"id": isText, "file": isText, "line": isNumber, "column": isNumber, "old": isText, "new": isText, "code": isText},
				map[string]any{"cut": isSwitch})), "patch": isText, "next": isCursor, "total": isNumber}, nil),
			doc:       "Lists the edits that are certain enough to be made in the files of a run. The patches of all pages joined are one patch.",
			arguments: []argument{ofRun, after, limit, maxBytes}},
	}
	if s.config.Write {
		all = append(all, tool{name: "apply_fixes", title: "Make proposed edits", hints: hints(false, false), call: s.applyFixes,
			result: object(map[string]any{"applied": array(isText), "left_out": array(object(map[string]any{"id": isText, "why": isText}, nil)), "patch": isText}, map[string]any{"more": isNumber, "cut": isSwitch}),
			doc:    "Makes edits in the files of a run, each file whole or not at all. An edit whose place has changed since the run is left out.",
			arguments: []argument{ofRun, {name: "ids", kind: Texts, doc: "ids of fixes.", least: 1, most: 1000}, {name: "all", kind: Switch, doc: "All edits."},
				{name: "dry_run", kind: Switch, doc: "Write nothing."}, maxBytes}})
	}
	return all
}

func (s *Server) options() []argument {
	var all []argument
	for _, o := range s.engine.Options() {
		all = append(all, argument{name: o.Name, kind: o.Kind, words: o.Words, number: o.Number})
	}
	return append(all, argument{name: "max-requests", kind: Whole, least: 1, most: 1 << 30})
}
