package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// fixer collects the results that propose an edit, and makes the edits after the run.
// Findings that it has fixed are not reported, so it holds these results until then.
type fixer struct {
	write   bool // to the files, not as a patch
	list    bool // print each edit that is written
	level   fix.Level
	copies  fix.Copies // with which links become robust; nil for none
	note    func(format string, args ...any)
	results []*result.Result
}

// add reports whether it has kept the result, because it proposes an edit.
func (e *fixer) add(r *result.Result) bool {
	_, ok := report.Propose(r)
	if !ok {
		_, ok = report.Guess(r)
	}
	ok = ok || e.copies != nil && !r.Internal && (r.Verdict == check.OK || r.Archive != nil)
	if ok {
		e.results = append(e.results, r)
	}
	return ok
}

// unfixed returns the results without the references that were edited in their files. A
// result without any other reference is left out and is not counted in the summary.
func (e *fixer) unfixed(plan *fix.Plan, s *result.Summary) []*result.Result {
	var rest []*result.Result
	for _, r := range e.results {
		all := len(r.References)
		r.References = slices.DeleteFunc(r.References, func(ref result.Reference) bool { return plan.Written(&ref, r.URL) })
		s.Fixed += all - len(r.References)
		if all > 0 && len(r.References) == 0 {
			if r.Kind == result.KindPage {
				s.CountFinding(r.Internal, r.Verdict, r.Code, -1)
			} else {
				s.Count(r.Internal, r.Verdict, r.Code, r.Warnings, -1)
			}
		} else {
			rest = append(rest, r)
		}
	}
	return rest
}

const maxListedEdits = 50

func (e *fixer) apply(out io.Writer) (*fix.Plan, error) {
	wd, err := os.Getwd()
	if err != nil {
		return &fix.Plan{}, fmt.Errorf("find the working directory: %w", err)
	}
	plan, err := fix.Make(fix.Root(wd), wd, e.results, e.level, e.copies)
	if err != nil {
		return &fix.Plan{}, err
	}
	e.listPlaces("left out", plan.LeftOut)
	e.listPlaces("not certain", plan.Unsure)
	if !e.write {
		err = plan.WritePatch(out)
		e.summarize(plan, "proposed", plan.Files)
		return plan, err
	}
	written, err := plan.Write()
	if e.list {
		for _, f := range written {
			for _, edit := range f.Edits {
				fmt.Fprintln(out, printable(fmt.Sprintf("%s:%d:%d: %s -> %s", edit.Page, edit.Line, edit.Column, edit.Before, edit.After)))
			}
		}
	}
	e.summarize(plan, "written", written)
	return plan, err
}

// listPlaces prints edits that are not made, with the reasons.
func (e *fixer) listPlaces(why string, all []fix.LeftOut) {
	for i, l := range all {
		if i == maxListedEdits {
			e.note("%d more %s", len(all)-i, why)
			break
		}
		e.note("%s: %s", why, l)
	}
}

// summarize prints the number of edits in one line.
func (e *fixer) summarize(plan *fix.Plan, verb string, files []*fix.File) {
	text := "no edits to make"
	if plan.Edits() > 0 {
		n := 0
		for _, f := range files {
			n += len(f.Edits)
		}
		text = fmt.Sprintf("%s in %s %s", counted(n, "edit"), counted(len(files), "file"), verb)
	}
	if n := len(plan.LeftOut); n > 0 {
		text += fmt.Sprintf(", %d left out", n)
	}
	if n := plan.Elsewhere; n > 0 {
		text += fmt.Sprintf("; %s not in a local file", counted(n, "reference"))
	}
	switch n := len(plan.Unsure); {
	case n == 1:
		text += "; 1 suggestion is not certain enough: --fix-level likely"
	case n > 1:
		text += fmt.Sprintf("; %d suggestions are not certain enough: --fix-level likely", n)
	}
	e.note("%s", text)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
