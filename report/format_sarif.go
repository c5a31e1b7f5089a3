package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

var sarifFormat = Format{
	Name:       "sarif",
	Extensions: []string{".sarif", ".sarif.json"},
	Use:        "GitHub code scanning and other readers of SARIF 2.1.0",
	New: func(w io.Writer, o Options) Writer {
		return &sarifWriter{json: jsonEncoder{w: w}, show: o.Show.orDefault(), prefix: o.Prefix, most: maxSARIFResults, compared: o.Baseline}
	},
}

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	// sourceRoot is the URI base ID of the root of the repository, which readers know.
	sourceRoot = "%SRCROOT%"
	// siteRoot is the URI base ID of the website whose pages were checked.
	siteRoot = "SITE"
	// maxSARIFResults is the number of results that GitHub accepts in a run. It shows 5,000 of them.
	maxSARIFResults = 25_000
)

// sarifWriter writes a SARIF log with a result for each finding at each place. It follows
// what GitHub's code scanning requires beyond the standard: texts for every rule, exactly
// one location with a complete region, and a limited number of results, the most severe
// first. Targets that are ok or skipped are not results: readers that do not know the
// property "kind" would raise alerts for them.
type sarifWriter struct {
	json   jsonEncoder
	show   Show
	prefix string
	most   int // maximum number of results
	// compared is true if the run is compared with a baseline. Findings that have
	// disappeared since then are omitted: readers that do not know "baselineState" would
	// raise alerts for them.
	compared bool
	site     string // root of the site that most pages are on, such as "https://example.com/"; may be ""
	head     *Head
	codes    catalog
	found    [levels]occurrences
	more     int // number of findings beyond the limit
	prints   fingerprints
}

func (s *sarifWriter) Begin(h *Head) error {
	s.head, s.codes = h, newCatalog(h)
	return nil
}

func (s *sarifWriter) Result(r *result.Result) error {
	var all occurrences
	all.add(s.show, r)
	for _, o := range all {
		switch at := &s.found[o.level]; {
		case !o.isProblem():
		case len(*at) < s.most:
			*at = append(*at, o)
		default:
			s.more++
		}
	}
	return nil
}

// results returns the findings to write, the most severe first.
func (s *sarifWriter) results() occurrences {
	all := slices.Concat(s.found[:]...)
	if over := len(all) - s.most; over > 0 {
		s.more += over
		all = all[:s.most]
	}
	return all
}

func (s *sarifWriter) End(sum *result.Summary) error {
	results := s.results()
	s.compared = s.compared || sum.Known != result.Tally{}
	s.site = results.site()
	rules := sarifRules(results)
	j := &s.json
	j.object()
	j.key("$schema").string(sarifSchema)
	j.key("version").string("2.1.0")
	j.key("runs").array()
	j.object()
	j.key("tool").object()
	j.key("driver").object()
	j.key("name").string(cmp.Or(s.head.Tool.Name, "orbweaver"))
	optional(j, "version", s.head.Tool.Version)
	j.key("informationUri").string(projectURL)
	j.key("rules").array()
	for _, code := range rules {
		j.rule(s.codes.lookup(code))
	}
	j.end()
	j.end()
	j.end()
	j.key("columnKind").string("unicodeCodePoints")
	j.key("originalUriBaseIds").object()
	j.key(sourceRoot).row()
	j.key("description").row()
	j.key("text").string("the root of the repository")
	j.end()
	j.end()
	if s.site != "" {
		j.key(siteRoot).row()
		j.key("uri").string(s.site)
		j.end()
	}
	j.end()
	s.invocation(sum)
	j.key("results").array()
	index := map[check.Code]int{}
	for i, code := range rules {
		index[code] = i
	}
	for _, o := range results {
		s.result(o, index[ruleID(o.code)])
	}
	return j.finish()
}

// invocation states whether the run is complete, and what the report omits.
func (s *sarifWriter) invocation(sum *result.Summary) {
	j := &s.json
	j.key("invocations").array()
	j.object()
	j.key("executionSuccessful").bool(sum.Soundness.IsSound())
	if started := sum.Started.Truncate(time.Second); !started.IsZero() { // a JSON report has no fractions of seconds
		j.key("startTimeUtc").time(started)
		j.key("endTimeUtc").time(started.Add(max(sum.Elapsed, 0)))
	}
	var notes [][2]string
	if !sum.Soundness.IsSound() {
		notes = append(notes, [2]string{"error", summaryLine(sum) + " · " + sum.Soundness.Why})
	}
	if sum.Hidden > 0 {
		notes = append(notes, [2]string{"note", fmt.Sprintf("%d hidden by %s", sum.Hidden, foundConfig)})
	}
	if s.more > 0 {
		notes = append(notes, [2]string{"warning", fmt.Sprintf("%d more findings are omitted: GitHub accepts at most %d results", s.more, s.most)})
	}
	j.key("toolExecutionNotifications").array()
	for _, n := range notes {
		j.row()
		j.key("level").string(n[0])
		j.key("message").text(n[1])
		j.end()
	}
	j.end()
	j.end()
	j.end()
}

var sarifLevels = [levels]string{levelError: "error", levelWarning: "warning", levelNote: "note"}

func (s *sarifWriter) result(o occurrence, rule int) {
	j := &s.json
	j.object()
	j.key("ruleId").string(string(ruleID(o.code)))
	j.key("ruleIndex").int(int64(rule))
	j.key("level").string(sarifLevels[o.level])
	j.key("message").text(o.sentence())
	j.key("locations").array()
	j.row()
	j.key("physicalLocation").row()
	j.key("artifactLocation").row()
	switch file, page := o.artifact(o.place); {
	case page != "":
		uri, relative := pageURI(s.site, uriReference(page))
		j.key("uri").string(uri)
		if relative {
			j.key("uriBaseId").string(siteRoot)
		}
	case file != "":
		uri, relative := fileURI(inRepository(s.prefix, file))
		j.key("uri").string(uri)
		if relative {
			j.key("uriBaseId").string(sourceRoot)
		}
	default:
		j.key("uri").string("-")
		j.key("description").text("standard input")
	}
	j.end()
	line, column, endLine, endColumn := o.region()
	j.key("region").row()
	j.key("startLine").int(int64(line))
	j.key("startColumn").int(int64(column))
	j.key("endLine").int(int64(endLine))
	j.key("endColumn").int(int64(endColumn))
	j.end()
	j.end()
	j.end()
	j.end()
	if s.compared {
		j.key("baselineState").string(map[bool]string{false: "new", true: "unchanged"}[o.known()])
	}
	j.key("partialFingerprints").row()
	j.key("orbweaver/v1").string(s.prints.next(o))
	j.end()
	j.key("properties").row()
	j.key("url").string(o.result.URL)
	j.key("verdict").string(o.result.Verdict.String())
	optional(j, "rule", o.result.Rule)
	j.end()
	j.end()
}

// site returns the root of the website that most findings are on. Among several, it is
// the first by name. It is empty if no page is on the web.
func (all occurrences) site() string {
	count := map[string]int{}
	most := ""
	for i := range all {
		_, page := all[i].artifact(all[i].place)
		u, err := url.Parse(page)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		root := uriReference(u.Scheme + "://" + u.Host + "/")
		count[root]++
		if n := count[root] - count[most]; most == "" || n > 0 || n == 0 && root < most {
			most = root
		}
	}
	return most
}

// pageURI returns the URI of a page, relative to the root of the site if possible: code
// scanning accepts only relative URIs.
func pageURI(site, page string) (uri string, relative bool) {
	rest, ok := strings.CutPrefix(page, site)
	if site == "" || !ok || strings.HasPrefix(rest, "/") {
		return page, false
	}
	if first, _, _ := strings.Cut(rest, "/"); rest == "" || rest[0] == '?' || rest[0] == '#' || strings.Contains(first, ":") {
		rest = "./" + rest // RFC 3986 section 4.2
	}
	return rest, true
}

// sarifRules returns the codes to describe: all codes of links, so that the rules do not
// depend on the run, but of the http family and of content checks only the codes that occur
// in the run.
func sarifRules(results occurrences) []check.Code {
	var rules []check.Code
	for _, entry := range check.All() {
		if entry.Code != check.CodeOK && !check.IsFamily(entry.Code) && !check.OfContent(entry.Code) && !slices.Contains(rules, entry.Code) {
			rules = append(rules, entry.Code)
		}
	}
	met := map[check.Code]bool{}
	for _, code := range rules {
		met[code] = true
	}
	known := len(rules)
	for _, o := range results {
		if id := ruleID(o.code); !met[id] {
			met[id] = true
			rules = append(rules, id)
		}
	}
	slices.Sort(rules[known:])
	return rules
}

func (j *jsonEncoder) rule(entry check.Entry, known bool) {
	switch {
	case !known:
		entry.Explanation, entry.Advice = "This version of orbweaver does not know this code.", "Use a newer version."
	case entry.Explanation == "":
		entry.Explanation = sentence(entry.Title) // a plugin declared it
	}
	text, markdown := entry.Explanation, entry.Explanation
	if entry.Advice != "" {
		text += "\n\nWhat to do: " + entry.Advice
		markdown += "\n\n**What to do:** " + entry.Advice
	}
	if entry.Example != "" {
		text += "\n\nExample: " + entry.Example
		markdown += "\n\n**Example:** " + markdownCode(entry.Example)
	}
	level := map[check.Severity]level{check.SeverityError: levelError, check.SeverityWarning: levelWarning, check.SeverityInfo: levelNote}[entry.Severity]
	j.object()
	j.key("id").string(string(entry.Code))
	j.key("shortDescription").text(sentence(entry.Title))
	j.key("fullDescription").text(clip(entry.Explanation, 1024))
	j.key("help").row()
	j.key("text").string(text)
	j.key("markdown").string(markdown)
	j.end()
	j.key("defaultConfiguration").row()
	j.key("level").string(sarifLevels[level])
	j.end()
	j.key("properties").row()
	j.key("tags").list()
	j.string(cmp.Or(entry.Group, "links"))
	j.end()
	j.key("precision").string([levels]string{"very-high", "high", "medium"}[level])
	j.key("problem.severity").string([levels]string{"error", "warning", "recommendation"}[level])
	j.end()
	j.end()
}

func sentence(title string) string {
	r, size := utf8.DecodeRuneInString(title)
	return strings.ToUpper(string(r)) + title[size:] + "."
}

// fileURI returns the path of a file as a URI reference (RFC 3986 section 4.2): a
// relative reference, or a file: URI.
func fileURI(file string) (uri string, relative bool) {
	segments := strings.Split(file, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), ":", "%3A")
	}
	uri = strings.Join(segments, "/")
	if strings.HasPrefix(uri, "//") {
		return "file:///" + strings.TrimLeft(uri, "/"), false
	}
	if strings.HasPrefix(uri, "/") {
		return "file://" + uri, false
	}
	return uri, true
}

// text writes a message. It escapes the beginning of an embedded link, [text](, which
// text from a page must not be (SARIF 3.11.6).
func (j *jsonEncoder) text(s string) {
	j.row()
	j.key("text").string(strings.ReplaceAll(s, "](", `\](`))
	j.end()
}
