package rules

import (
	"net/http"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// TargetRules finds the user's rules for URLs that are about to be requested.
type TargetRules struct {
	cfg   *Config
	print *Printer
	start *fetch.Origins // the start targets, if a rule has headers
}

// NewTargetRules returns the rules of a run that starts from seeds.
func NewTargetRules(cfg *Config, seeds []Seed, print *Printer) *TargetRules {
	t := &TargetRules{cfg: cfg, print: print}
	if slices.ContainsFunc(cfg.Rules, func(rule Rule) bool { return len(rule.Header) > 0 }) {
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
	if len(t.cfg.Rules) == 0 {
		return nil
	}
	return t.cfg.MatchingRule(t.print.URL(u))
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
