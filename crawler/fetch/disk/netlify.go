package disk

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// redirectsFile is the file in a site's root with redirect rules for Netlify and
// compatible hosts.
const redirectsFile = "_redirects"

// Limits on a _redirects file; a larger file is an error.
const (
	maxRedirectsSize  = 4 << 20
	maxRedirectsRules = 50_000
)

// redirectRule is a line of a _redirects file.
type redirectRule struct {
	from   []string    // segments: literal, ":name", or "*" at the end
	query  [][2]string // required query parameters: name, and value or ":name"
	to     string
	status int
	force  bool // applies even if a file exists
}

// readRedirects reads the rules in the site's root.
func (s *Site) readRedirects() error {
	path := s.pathTo(redirectsFile)
	f, _, err := openFile(s.tree, redirectsFile, path)
	if err != nil {
		return err
	}
	defer f.Close()
	rules, err := parseRedirects(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	s.redirects = newRedirectRules(rules)
	return nil
}

// parseRedirects parses rules in plain text
//
//	from [name=value…] to [status][!] [condition=value…]
//
// one per line, with comments after '#'. The default status is 301. "from" is a path
// whose segments may be placeholders (":name") and whose last segment may be "*"; "to"
// may contain these names and ":splat". Rules with conditions (Country, Language, Role,
// Cookie) apply to some visitors only and are ignored, as are invalid lines, which
// hosts ignore too.
func parseRedirects(r io.Reader) ([]redirectRule, error) {
	var rules []redirectRule
	limited := &io.LimitedReader{R: r, N: maxRedirectsSize + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, 64<<10)
	for lines.Scan() {
		if rule, ok := parseRedirect(lines.Text()); ok {
			rules = append(rules, rule)
		}
		if len(rules) > maxRedirectsRules {
			return nil, fmt.Errorf("more than %d rules", maxRedirectsRules)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if limited.N <= 0 {
		return nil, fmt.Errorf("larger than %d bytes", maxRedirectsSize)
	}
	return rules, nil
}

func parseRedirect(line string) (rule redirectRule, ok bool) {
	fields := strings.Fields(line)
	for i, field := range fields {
		if strings.HasPrefix(field, "#") {
			fields = fields[:i]
			break
		}
	}
	if len(fields) < 2 || !strings.HasPrefix(fields[0], "/") {
		return rule, false
	}
	rule.from = splitPath(fields[0])
	rule.status = 301
	fields = fields[1:]
	for len(fields) > 0 && !isDestination(fields[0]) {
		name, value, isParameter := strings.Cut(fields[0], "=")
		if !isParameter {
			return rule, false
		}
		rule.query = append(rule.query, [2]string{name, value})
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return rule, false
	}
	rule.to = fields[0]
	if fields = fields[1:]; len(fields) > 0 && !strings.Contains(fields[0], "=") {
		status := fields[0]
		status, rule.force = strings.CutSuffix(status, "!")
		if status != "" {
			var err error
			if rule.status, err = strconv.Atoi(status); err != nil || rule.status < 200 || rule.status > 599 {
				return rule, false
			}
		}
		fields = fields[1:]
	}
	return rule, len(fields) == 0 // any remaining fields are conditions
}

func isDestination(field string) bool {
	return strings.HasPrefix(field, "/") || strings.HasPrefix(field, "http://") || strings.HasPrefix(field, "https://")
}

// splitPath splits a path into segments, ignoring slashes at both ends.
func splitPath(path string) []string {
	path = strings.Trim(path, "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// match returns the destination for a path and query, with its placeholders replaced.
func (r *redirectRule) match(segments []string, query string) (to string, ok bool) {
	from, splat := r.from, ""
	if n := len(from); n > 0 && from[n-1] == "*" {
		if from = from[:n-1]; len(segments) < len(from) {
			return "", false
		}
		splat = strings.Join(segments[len(from):], "/")
		segments = segments[:len(from)]
	}
	if len(segments) != len(from) {
		return "", false
	}
	for i, pattern := range from {
		if pattern != segments[i] && !strings.HasPrefix(pattern, ":") {
			return "", false
		}
	}
	values := map[string]string{":splat": splat}
	for i, pattern := range from {
		values[pattern] = segments[i] // literal segments are never looked up
	}
	for _, parameter := range r.query {
		value, has := queryParameter(query, parameter[0])
		if !has {
			return "", false
		}
		if strings.HasPrefix(parameter[1], ":") {
			values[parameter[1]] = value
		} else if parameter[1] != value {
			return "", false
		}
	}
	return fillPlaceholders(r.to, values), true
}

func queryParameter(query, name string) (string, bool) {
	for query = strings.TrimPrefix(query, "?"); query != ""; {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value, true
		}
	}
	return "", false
}

// fillPlaceholders replaces each ":name" that has a value.
func fillPlaceholders(to string, values map[string]string) string {
	var b strings.Builder
	for {
		colon := strings.IndexByte(to, ':')
		if colon < 0 {
			b.WriteString(to)
			return b.String()
		}
		end := colon + 1
		for end < len(to) && (to[end] == '_' || '0' <= to[end] && to[end] <= '9' || 'a' <= to[end]|0x20 && to[end]|0x20 <= 'z') {
			end++
		}
		b.WriteString(to[:colon])
		if value, ok := values[to[colon:end]]; ok {
			b.WriteString(value)
		} else {
			b.WriteString(to[colon:end])
		}
		to = to[end:]
	}
}

// applyRedirects answers with the first rule of _redirects that applies. It returns nil
// if no rule does, so that the file at the location answers.
func (s *Site) applyRedirects(req *fetch.Request, rel, query string, at *location) (*fetch.Response, error) {
	if len(s.redirects.rules) == 0 {
		return nil, nil
	}
	exists := at.kind == entryFile || at.redirect != ""
	segments := splitPath(rel)
	for rule := range s.redirects.candidates(strings.Trim(rel, "/")) {
		if exists && !rule.force {
			continue
		}
		to, ok := rule.match(segments, query)
		if !ok {
			continue
		}
		local := strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//")
		switch {
		case rule.status >= 300 && rule.status < 400:
			if len(rule.query) == 0 && query != "" && !strings.Contains(to, "?") {
				to += query // Netlify passes parameters on
			}
			return redirectTo(rule.status, to), nil
		case rule.status >= 400:
			return &fetch.Response{Status: rule.status, Size: -1, Requests: 1}, nil
		case !local:
			// The page is proxied, so its own URL is checked instead.
			return redirectTo(307, to), nil
		}
		return s.rewrite(req, rel, to)
	}
	return nil, nil
}

// rewrite answers for the requested URL with the file at another path of the site.
func (s *Site) rewrite(req *fetch.Request, rel, to string) (*fetch.Response, error) {
	to, _, _ = strings.Cut(to, "?")
	to, _, _ = strings.Cut(to, "#")
	target, ok := decodePath(strings.TrimPrefix(to, "/"))
	if !ok {
		return nil, s.missing(rel, errEncodedPath)
	}
	at := s.locator.locate(target)
	switch at.redirect {
	case "/":
		at = s.locator.locate(target + "/")
	case "-":
		at = s.locator.locate(strings.TrimSuffix(target, "/"))
	}
	return s.serve(req, target, at)
}
