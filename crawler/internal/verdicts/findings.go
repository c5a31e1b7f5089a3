package verdicts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// pageFindings are what content checks found on the pages of a crawl. What was found on one
// page is in its outcome; what the comparison of pages brought is in compared.
type pageFindings struct {
	join     *join
	compared map[frontier.ID][]comparedFinding
	names    map[frontier.ID]string // of the documents that have places of findings about others
}

// results counts the findings of all pages, and returns the results of those that are shown.
func (f *pageFindings) results() (shown []*result.Result, err error) {
	c, sum := f.join.crawl, f.join.pairs.sum
	if f.join.inspected || c.Judging.Inspector != nil {
		sum.Findings = &result.FindingCounts{}
	}
	if !f.join.inspected {
		return nil, nil
	}
	strictJudging := c.Judging.Strict()
	err = c.Store.Scan(f.join.ctx, frontier.PartJob|frontier.PartOutcome, func(rec *frontier.Record) error {
		encoded := f.join.targets().outcomeOf(rec)
		g, err := judging.GlanceAt(encoded)
		compared := f.compared[rec.ID]
		if err != nil || !g.Inspected && len(compared) == 0 {
			return err
		}
		o, _, err := judging.DecodeHead(encoded)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if changed := c.Scope.Rules.Changed; changed != nil && !changed.Has(o.Path) {
			return nil
		}
		var findings []comparedFinding
		if g.Inspected {
			in, err := judging.DecodeInspection(o.Inspection)
			if err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
			for _, finding := range in.Findings {
				findings = append(findings, comparedFinding{finding, rec.ID})
			}
		}
		if findings = append(findings, compared...); len(findings) == 0 {
			return nil
		}
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		slices.SortStableFunc(findings, func(a, b comparedFinding) int {
			return cmp.Or(cmp.Compare(f.names[a.in], f.names[b.in]), judging.CompareFindings(a.Finding, b.Finding))
		})
		page := foundOn{url: f.join.pageName(rec), final: c.Print.Job(&job), internal: f.join.targets().of(rec.ID)&internal != 0, outcome: &o}
		levels, strict := page.levels(c.Judging), page.levels(strictJudging)
		for i := range findings {
			g, reported := judgeFinding(&findings[i].Finding, levels)
			if c.Judging.Hides != nil {
				if before, strictly := judgeFinding(&findings[i].Finding, strict); strictly && scope.IsHidden(&before, &g, reported) {
					sum.Hidden++
				}
			}
			if !reported {
				continue
			}
			g.Message = c.Print.Message(g.Message)
			sum.CountFinding(page.internal, g.Verdict, g.Code, 1)
			if isShown(c.Show, &g) {
				shown = append(shown, page.result(&findings[i].Finding, &g, f.names[findings[i].in]))
			}
		}
		return nil
	})
	return shown, err
}

// judgeFinding returns the verdict of a finding, and whether it is to be reported.
func judgeFinding(f *judging.Finding, levels func(check.Code) check.Level) (g judging.Judgement, reported bool) {
	g = judging.Judgement{Verdict: f.VerdictOf(), Code: f.Code, Message: f.Message}
	return g, g.SetLevels(levels)
}

// foundOn is a page with findings.
type foundOn struct {
	url, final string // as printed
	internal   bool
	outcome    *judging.Outcome
}

// levels returns the levels that the user has set for codes of the page.
func (p *foundOn) levels(j *scope.Judging) func(check.Code) check.Level {
	var own check.Levels
	if rule := j.MatchingRule(p.url); rule != nil {
		own = rule.Levels
	}
	return func(code check.Code) check.Level {
		if level := own.Of(code, p.internal); level != "" {
			return level
		}
		return j.Levels.Of(code, p.internal)
	}
}

// result builds the result of a finding. in is the document with the place, if it is not the page.
func (p *foundOn) result(f *judging.Finding, g *judging.Judgement, in string) *result.Result {
	o := p.outcome
	return &result.Result{Kind: result.KindPage, URL: p.url, Verdict: g.Verdict, Code: g.Code, Message: g.Message, Level: g.Level,
		Rule: f.Rule, Proposal: f.Proposal, Internal: p.internal, Cached: o.Cached,
		Status: o.Status, ContentType: o.ContentType, Size: o.Size, FinalURL: p.final,
		Redirects: []result.Hop{}, Warnings: []check.Warning{}, Suggestions: []check.Suggestion{},
		References: []result.Reference{{Page: cmp.Or(in, p.url), Line: f.Line, Column: f.Column, Element: f.Element, Attribute: f.Attribute, Raw: f.Raw, Text: f.Text}}}
}
