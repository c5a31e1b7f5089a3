package scope

import (
	"net/http"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// TargetRules finds the user's rules for URLs that are about to be requested.
type TargetRules struct {
	judging *Judging
	print   *Printer
	start   *fetch.Origins // the start targets, if a rule has headers
}

// NewTargetRules returns the rules of a run with a scope that starts from seeds.
func NewTargetRules(s *Scope, seeds []Seed) *TargetRules {
	t := &TargetRules{judging: &s.Judging, print: s.Print}
	if slices.ContainsFunc(t.judging.Rules, func(rule Rule) bool { return len(rule.Header) > 0 }) {
		urls := make([]urinorm.URL, len(seeds))
		for i := range seeds {
			urls[i] = seeds[i].URL
		}
		t.start = fetch.NewOrigins(urls...)
	}
	return t
}

// Of returns the rule for a URL, nil if there is none.
func (t *TargetRules) Of(u urinorm.URL) *Rule {
	if len(t.judging.Rules) == 0 {
		return nil
	}
	return t.judging.MatchingRule(t.print.URL(u))
}

// Header returns the headers that the rule for a URL adds to its request, and the rule.
func (t *TargetRules) Header(u urinorm.URL) (http.Header, *Rule) {
	rule := t.Of(u)
	if rule == nil || len(rule.Header) == 0 || t.downgrades(u, rule) {
		return nil, rule
	}
	return rule.Header, rule
}

// downgrades reports whether a rule matches an http URL only because its pattern leaves
// the scheme open. Its headers may be meant for https, so they are not sent, except to a
// start target.
func (t *TargetRules) downgrades(u urinorm.URL, rule *Rule) bool {
	if u.Scheme() != "http" || t.start.Has(u) {
		return false
	}
	twin, _, err := urinorm.ParseWeb("https" + strings.TrimPrefix(u.String(), "http"))
	return err == nil && rule.Match(t.print.URL(twin))
}

// Accepts reports whether the user specified that a status of a URL counts as ok.
func (t *TargetRules) Accepts(u urinorm.URL, status int) bool {
	if status == 0 {
		return false
	}
	if rule := t.Of(u); rule != nil && rule.Accept != nil {
		return rule.Accept.Has(status)
	}
	return t.judging.Accept.Has(status)
}

// CallBroken reports whether a target will be reported as broken, as far as that is known
// before all pages are read.
func (t *TargetRules) CallBroken(u urinorm.URL, internal bool, o *judging.Outcome) bool {
	if t.Accepts(u, o.Status) {
		return false
	}
	rule := t.Of(u)
	if rule != nil && rule.Verdict != "" {
		return rule.Verdict == check.Broken.String()
	}
	g := o.Judge(judging.Question{URL: u, Internal: internal, Local: o.Path != ""})
	g.SetLevels(func(code check.Code) check.Level {
		if rule != nil {
			if level := rule.Levels.Of(code, internal); level != "" {
				return level
			}
		}
		return t.judging.Levels.Of(code, internal)
	})
	return g.Verdict == check.Broken
}
