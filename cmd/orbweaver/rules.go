package main

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/patternsize"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect"
)

// ruleBlock is a [[rule]] of the configuration file as written, with environment
// variables expanded.
type ruleBlock struct {
	where   string // "rule 2 in orbweaver.toml"
	match   string // glob on the printed URL
	matchRE string // or a regular expression on it
	accept  []string
	verdict string
	header  http.Header
	rate    string
	level   []string

	render string

	brokenHosts, brokenTexts []string
}

var ruleKeys = []string{"match", "match_re", "accept", "verdict", "header", "rate", "level", "render", "broken_hosts", "broken_texts"}

// ruleVerdicts are the verdicts that a rule can set.
var ruleVerdicts = []string{"unverified", "ignore", "broken"}

func readRules(file *configFile, value any) ([]ruleBlock, error) {
	if err := file.permit("rule", nil); err != nil {
		return nil, err
	}
	blocks, ok := value.([]map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: rule: write each rule as a [[rule]] block", file.name)
	}
	var rules []ruleBlock
	var faults []error
	for i, keys := range blocks {
		rule := ruleBlock{where: fmt.Sprintf("rule %d in %s", i+1, file.name)}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if err := rule.read(key, keys[key], file); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", rule.where, err))
				if errors.Is(err, patternsize.ErrTooLarge) {
					return nil, errors.Join(faults...)
				}
			}
		}
		if (rule.match == "") == (rule.matchRE == "") && len(faults) == 0 {
			faults = append(faults, fmt.Errorf("%s: use either match (a glob) or match_re (a regular expression)", rule.where))
		}
		rules = append(rules, rule)
	}
	return rules, errors.Join(faults...)
}

func (r *ruleBlock) read(key string, value any, file *configFile) error {
	switch key {
	case "match", "match_re", "verdict", "render", "rate":
		text, isText := value.(string)
		if key == "rate" {
			text, isText = configText(value)
		}
		if !isText || text == "" && strings.HasPrefix(key, "match") {
			return fmt.Errorf("%s: use a string", key)
		}
		if measure := map[string]patternsize.Measure{"match": patternsize.Glob, "match_re": patternsize.Regexp}[key]; measure != nil {
			if err := file.spend(key, text, measure); err != nil {
				return err
			}
		} else if key != "verdict" {
			if err := file.permit(key, []string{text}); err != nil {
				return err
			}
		}
		*map[string]*string{"match": &r.match, "match_re": &r.matchRE, "verdict": &r.verdict, "render": &r.render, "rate": &r.rate}[key] = text
	case "accept":
		texts, ok := configTexts(&option.Flag{Many: option.Union}, value)
		if !ok {
			return fmt.Errorf("%s: use statuses such as [403, \"500-599\"]", key)
		}
		r.accept = texts
	case "level":
		texts, ok := configTexts(&option.Flag{Many: option.List}, value)
		if !ok {
			return fmt.Errorf("%s: use an array such as [\"redirect-permanent=broken\"]", key)
		}
		r.level = texts
	case "broken_hosts", "broken_texts":
		texts, ok := configTexts(&option.Flag{Many: option.List}, value)
		if !ok {
			return fmt.Errorf("%s: use an array of strings", key)
		}
		if key == "broken_hosts" {
			r.brokenHosts = texts
			return file.limit(key, texts)
		}
		for _, text := range texts {
			if err := file.spend(key, text, patternsize.Text); err != nil {
				return err
			}
		}
		r.brokenTexts = texts
	case "header":
		fields, ok := value.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: use a table such as {Authorization = \"Bearer ${TOKEN}\"}", key)
		}
		r.header = http.Header{}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			t, ok := fields[name].(string)
			if !ok {
				return fmt.Errorf("%s: %s: use a string", key, name)
			}
			expanded, err := expandEnv(t, file.variable)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", key, name, err)
			}
			if _, _, err := parseHeader(name + ": " + expanded); err != nil {
				return fmt.Errorf("%s: %s: %w", key, name, err)
			}
			r.header.Set(name, expanded)
		}
	default:
		return unknownKey(key, ruleKeys)
	}
	return nil
}

func (r *ruleBlock) compile(parseLevel func(string) (check.LevelRule, error)) (crawler.Rule, error) {
	rule := crawler.Rule{Name: r.where, Verdict: r.verdict, Header: r.header}
	fail := func(key, text string, err error) (crawler.Rule, error) {
		return rule, fmt.Errorf("%s: %s: %q is not allowed: %w", r.where, key, text, err)
	}
	if r.matchRE != "" {
		re, err := parsePattern(r.matchRE)
		if err != nil {
			return fail("match_re", r.matchRE, err)
		}
		rule.Name += " (" + r.matchRE + ")"
		rule.Match = re.MatchString
	} else {
		glob := inspect.Glob(r.match)
		if err := glob.Validate(); err != nil {
			return fail("match", r.match, err)
		}
		rule.Name += " (" + r.match + ")"
		rule.Match = glob.MatchString
	}
	if r.verdict != "" && !slices.Contains(ruleVerdicts, r.verdict) {
		return fail("verdict", r.verdict, oneOf(r.verdict, ruleVerdicts))
	}
	if r.render != "" {
		if rule.Render = renderModes[r.render]; rule.Render == crawler.RenderUnset {
			return fail("render", r.render, oneOf(r.render, renderModeNames))
		}
	}
	if r.accept != nil {
		codes := strings.Join(r.accept, ",")
		accept, err := parseStatuses(codes)
		if err != nil {
			return fail("accept", codes, err)
		}
		rule.Accept = accept
	}
	for _, text := range r.level {
		level, err := parseLevel(text)
		if err != nil {
			return fail("level", text, err)
		}
		rule.Levels = append(rule.Levels, level)
	}
	for _, pattern := range r.brokenHosts {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" || strings.Contains(pattern, "/") {
			return fail("broken_hosts", pattern, errors.New("use the pattern of a host, such as *.parking.example"))
		}
		rule.BrokenHosts = append(rule.BrokenHosts, strings.ToLower(pattern))
	}
	for _, text := range r.brokenTexts {
		re, err := parseTextPattern(text)
		if err != nil {
			return fail("broken_texts", text, err)
		}
		rule.BrokenTexts = append(rule.BrokenTexts, crawler.TextPattern{Written: text, Pattern: re})
	}
	if r.rate != "" {
		rate, err := quantity.ParseRate(r.rate)
		if err != nil {
			return fail("rate", r.rate, err)
		}
		rule.Rate = rate
	}
	return rule, nil
}

// parseTextPattern parses a text to find on a page, in which letter case and the amount of
// white space do not matter, or "re:" and a regular expression.
func parseTextPattern(s string) (*regexp.Regexp, error) {
	if pattern, ok := strings.CutPrefix(s, "re:"); ok && pattern != "" {
		return parsePattern(pattern)
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		return nil, errors.New("use a text on the page, or re: and a regular expression")
	}
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	return regexp.Compile("(?i)" + strings.Join(words, `\s+`))
}
