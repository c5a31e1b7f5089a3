package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// errNoFiles is the error of a run without files.
var errNoFiles = errors.New("run: it has no edits, because it read no file: call check with a path below a --root of the server")

func (s *Server) plan(c *call) (*run, *fix.Plan, error) {
	r, err := s.runs.find(c.text("run"))
	if err != nil {
		return nil, nil, err
	}
	if r.fixes == nil {
		return nil, nil, errNoFiles
	}
	plan, err := r.fixes(func(*result.Reference) bool { return true })
	return r, plan, err
}

// editID identifies an edit by its place and its text.
func editID(page string, line, column int, raw string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d\n%s", page, line, column, raw))
	return hex.EncodeToString(sum[:8])
}

func edits(plan *fix.Plan) (all []fix.Edit) {
	for _, f := range plan.Files {
		all = append(all, f.Edits...)
	}
	return all
}

// listFixes lists edits. The pages of the list go through the items first, and then through the
// bytes of the patch.
func (s *Server) listFixes(_ context.Context, c *call) (map[string]any, error) {
	r, plan, err := s.plan(c)
	if err != nil {
		return nil, err
	}
	var patch bytes.Buffer
	if err := plan.WritePatch(&patch); err != nil {
		return nil, err
	}
	all := edits(plan)
	end := len(all) + patch.Len()
	at, err := parseCursor(c.text("after"), r.id, "fixes", end)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"patch": "", "total": len(all)}
	n, err := fitItems(answer, c.most, c.number("limit", 1000), max(0, len(all)-at), func(i, length int) any { return showEdit(&all[at+i], length) })
	if err != nil {
		return nil, err
	}
	if at += n; at >= len(all) {
		part, err := fitPatch(answer, patch.Bytes()[at-len(all):], c.most)
		if err != nil {
			return nil, err
		}
		answer["patch"] = string(part)
		at += len(part)
	}
	answer["next"] = next(r.id, "fixes", at, end)
	return answer, nil
}

func showEdit(e *fix.Edit, length int) map[string]any {
	shown := map[string]any{"id": editID(e.Page, e.Line, e.Column, e.Before), "line": e.Line, "column": e.Column, "code": string(e.Code)}
	var isCut, fileCut, newCut bool
	shown["file"], fileCut = cut(e.Page, length)
	shown["old"], isCut = cut(e.Before, length)
	shown["new"], newCut = cut(e.After, length)
	if isCut || fileCut || newCut {
		shown["cut"] = true
	}
	return shown
}

// fitPatch returns as much of a patch as fits in an answer, in whole lines if it can.
func fitPatch(answer map[string]any, patch []byte, most int) ([]byte, error) {
	base, err := encode(answer)
	if err != nil {
		return nil, err
	}
	room := most - len(base) - len(`,"next":""`) - maxCursor
	for n := min(len(patch), max(0, room)); n > 0; n -= max(1, n/8) {
		for n < len(patch) && n > 0 && !utf8.RuneStart(patch[n]) {
			n--
		}
		if n < len(patch) {
			if line := bytes.LastIndexByte(patch[:n], '\n'); line > 0 {
				n = line + 1
			}
		}
		text, err := encode(string(patch[:n]))
		if err != nil || len(text) <= room {
			return patch[:n], err
		}
	}
	return nil, nil
}

func (s *Server) applyFixes(_ context.Context, c *call) (map[string]any, error) {
	ids := c.texts("ids")
	if (len(ids) == 0) == !c.is("all") {
		return nil, errors.New("apply_fixes needs one of its two arguments: give ids, or all: true")
	}
	r, err := s.runs.find(c.text("run"))
	if err != nil {
		return nil, err
	}
	if r.fixes == nil {
		return nil, errNoFiles
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	plan, err := r.fixes(func(ref *result.Reference) bool {
		at := ref.At()
		return c.is("all") || slices.Contains(ids, editID(at.File, at.Line, at.Column, at.Raw))
	})
	if err != nil {
		return nil, err
	}
	var patch bytes.Buffer
	if err := plan.WritePatch(&patch); err != nil {
		return nil, err
	}
	files := plan.Files
	if !c.is("dry_run") {
		written, err := plan.Write()
		if files = written; err != nil && len(written) == 0 {
			return nil, err
		}
	}
	made, left := []string{}, []map[string]any{}
	for _, f := range files {
		for _, e := range f.Edits {
			made = append(made, editID(e.Page, e.Line, e.Column, e.Before))
		}
	}
	for _, l := range plan.LeftOut {
		why, _ := cut(l.String(), maxText)
		left = append(left, map[string]any{"id": "", "why": why})
	}
	for _, id := range ids {
		if !slices.Contains(made, id) && len(left) == 0 {
			left = append(left, map[string]any{"id": id, "why": "its place has changed since the run, or the run proposes no such edit"})
		}
	}
	return fitApplied(made, left, patch.String(), c.most)
}

// fitApplied shortens the answer to what fits: first the patch, then the lists.
func fitApplied(made []string, left []map[string]any, patch string, most int) (map[string]any, error) {
	answer := map[string]any{"applied": made, "left_out": left, "patch": ""}
	for {
		text, err := encode(answer)
		if err != nil {
			return nil, err
		}
		if len(text) <= most {
			break
		}
		switch {
		case len(left) > 1:
			left = left[:len(left)/2]
		default:
			made = made[:len(made)*3/4]
		}
		answer["applied"], answer["left_out"], answer["cut"] = made, left, true
	}
	part, err := fitPatch(answer, []byte(patch), most)
	if answer["patch"] = string(part); len(part) < len(patch) {
		answer["cut"] = true
	}
	return answer, err
}
