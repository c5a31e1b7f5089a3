package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// kind is the control of a field.
type kind string

const (
	line   kind = "line"   // one line of text
	lines  kind = "lines"  // several values, one a line
	onOff  kind = "switch" // a check box
	choice kind = "choice" // one of a few words
)

// option is a flag of check that a project may set. Initial is its default as the form shows it.
type option struct {
	Name, Label, Hint string
	Kind              kind
	Initial           string
	Choices           []string
}

// optionGroup is a part of the form.
type optionGroup struct {
	Title   string
	Options []option
}

// optionGroups are the options of a project, as the form shows them.
var optionGroups = []optionGroup{
	{"What is checked", []option{
		{"scope", "Pages to read", "Pages that are read for links; other targets are only checked.", choice, "path", []string{"path", "host", "domain", "page"}},
		{"depth", "Depth", "Links from the start page, for example 3.", line, noLimit, nil},
		{"max-pages", "Most pages", "For example 5000.", line, noLimit, nil},
		{"max-time", "Longest time", "For example 30m.", line, noLimit, nil},
		{"external", "Links to other sites", "", choice, "check", []string{"check", "skip"}},
		{"include", "Also read", "Regular expressions of URLs, one a line.", lines, "", nil},
		{"no-follow", "Do not read", "Regular expressions of URLs, one a line.", lines, "", nil},
		{"exclude", "Do not check", "Regular expressions of URLs, one a line.", lines, "", nil},
		{"robots", "robots.txt", "", choice, "crawl", []string{"crawl", "strict", "ignore"}},
		{"render", "Run scripts in a browser", "", choice, "never", []string{"never", "auto", "always"}},
		{"check", "Content checks", "Groups with commas: html, css, seo, images, security, i18n, duplicates, accessibility.", line, "none", nil},
		{"sitemaps", "Read the sitemaps of robots.txt", "", onOff, "", nil},
	}},
	{"How it is judged", []option{
		{"accept", "Accepted statuses", "For example 403,500-599.", line, "", nil},
		{"fail-on", "A run fails on", "broken, unverified or warning; for one side: internal:warning.", line, "broken", nil},
		{"level", "Levels of codes", "CODE=broken, unverified, warning, info or off; one a line.", lines, "", nil},
		{"ignore-fragment", "Ignored fragments", "Regular expressions, one a line.", lines, "", nil},
		{"tls-expiry", "Warn of certificates that expire within", "For example 30d.", line, "14d", nil},
		{"max-redirects", "Most redirects", "", line, "10", nil},
		{"max-body", "Largest page", "For example 50MiB.", line, "10MiB", nil},
		{"index-files", "Index files", "For directories: index.html,index.htm.", line, "", nil},
		{"base-url", "Base URL", "Where a directory is published.", line, "", nil},
		{"host-style", "Style of the host", "", choice, "auto", []string{"auto", "plain", "github-pages", "netlify", "nginx"}},
		{"select", "Read only links in", "A CSS selector.", line, "", nil},
		{"ignore-select", "Do not read links in", "A CSS selector.", line, "", nil},
		{"remap", "Remap URLs", "RE=REPLACEMENT, one a line.", lines, "", nil},
		{"soft-404", "Find error pages that answer 200", "", onOff, "", nil},
		{"check-https", "Look for https instead of http", "", onOff, "", nil},
		{"require-https", "Warn of every http link", "", onOff, "", nil},
	}},
	{"How it is requested", []option{
		{"concurrency", "Requests at once", "", line, "64", nil},
		{"per-host", "Requests at once for each host", "", line, "8", nil},
		{"rate", "Requests for each host", "For example 5/s.", line, "", nil},
		{"delay", "Delay between requests to a host", "For example 500ms.", line, "", nil},
		{"timeout", "Timeout", "", line, "20s", nil},
		{"retries", "Retries", "", line, "2", nil},
		{"second-pass-after", "Second try after", "", line, "10s", nil},
		{"max-wait", "Longest wait that a host may ask for", "", line, "60s", nil},
		{"user-agent", "User agent", "", line, "", nil},
		{"user", "User and password", "NAME:PASSWORD. It is kept encrypted; *** keeps what is stored.", line, "", nil},
		{"header", "Headers", "Name: value, one a line. They are kept encrypted; *** keeps what is stored.", lines, "", nil},
		{"insecure", "Accept any certificate", "", onOff, "", nil},
	}},
}

// noLimit is shown for options without a default.
const noLimit = "no limit"

// field is a control with its value and what is wrong with it.
type field struct {
	Name, Label, Hint, Value, Fault, Initial string
	Kind                                     kind
	Choices                                  []string
	List                                     string // the id of a list of suggestions
}

// newField returns a field of one line, for templates.
func newField(name, label, hint, value, fault string) field {
	return field{Name: name, Label: label, Hint: hint, Value: value, Fault: fault, Kind: line}
}

// scheduleField returns the field of a schedule, for templates.
func scheduleField(value, fault string) field {
	f := newField("schedule", "Schedule", "@hourly, @daily, @weekly, or five fields of cron, such as 30 3 * * 1-5.", value, fault)
	f.Initial, f.List = "only when somebody asks", "schedules"
	return f
}

// Described returns the ids of what describes the control.
func (f field) Described() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, "hint-"+f.Name)
	}
	if f.Fault != "" {
		ids = append(ids, "fault-"+f.Name)
	}
	return strings.Join(ids, " ")
}

// group are fields under a title.
type group struct {
	Title  string
	Fields []field
	Open   bool // a field has a value or a fault
}

// groupsOf returns the fields of options.
func groupsOf(values url.Values, faults map[string]string) []group {
	var all []group
	for _, g := range optionGroups {
		made := group{Title: g.Title}
		for _, o := range g.Options {
			f := field{Name: o.Name, Label: o.Label, Hint: o.Hint, Kind: o.Kind, Initial: o.Initial, Choices: o.Choices, Value: values.Get(o.Name), Fault: faults[o.Name]}
			made.Open = made.Open || f.Value != "" || f.Fault != ""
			made.Fields = append(made.Fields, f)
		}
		all = append(all, made)
	}
	return all
}

// valuesOf returns a project as the fields of its form.
func valuesOf(p *api.Project) url.Values {
	v := url.Values{"name": {p.Name}, "targets": {strings.Join(p.Targets, "\n")}, "schedule": {p.Schedule}}
	for name, value := range p.Options {
		switch value := value.(type) {
		case []any:
			texts := make([]string, len(value))
			for i := range value {
				texts[i] = fmt.Sprint(value[i])
			}
			v.Set(name, strings.Join(texts, "\n"))
		case bool:
			if value {
				v.Set(name, "true")
			}
		default:
			v.Set(name, fmt.Sprint(value))
		}
	}
	return v
}

// splitLines returns the lines of a text that are not empty.
func splitLines(text string) []string {
	all := []string{}
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			all = append(all, l)
		}
	}
	return all
}

// projectBody returns the body of the API for the fields of a form, with those members that the
// form has fields of. Unknown fields are options, so that the API names them.
func projectBody(v url.Values, create bool) ([]byte, error) {
	kinds := map[string]kind{}
	for _, g := range optionGroups {
		for _, o := range g.Options {
			kinds[o.Name] = o.Kind
		}
	}
	options, given := map[string]any{}, create
	for name, all := range v {
		if slices.Contains([]string{"name", "targets", "schedule", "do", "run"}, name) {
			continue
		}
		given = true
		text := strings.TrimSpace(strings.Join(all, "\n"))
		if text == "" {
			continue
		}
		switch kinds[name] {
		case lines:
			options[name] = splitLines(text)
		case onOff:
			options[name] = text == "true" || text == "on"
		default:
			options[name] = text
		}
	}
	body := map[string]any{}
	targets := splitLines(strings.Join(v["targets"], "\n"))
	if create || v.Has("targets") {
		body["targets"] = targets
	}
	if create || v.Has("name") {
		body["name"] = strings.TrimSpace(v.Get("name"))
		if body["name"] == "" && create && len(targets) > 0 {
			body["name"] = nameOf(targets[0])
		}
	}
	if create || v.Has("schedule") {
		body["schedule"] = strings.TrimSpace(v.Get("schedule"))
	}
	if given {
		body["options"] = options
	}
	return json.Marshal(body)
}

// nameOf returns a name for a project with a target.
func nameOf(target string) string {
	name := target
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		name = u.Host + strings.TrimSuffix(u.Path, "/")
	}
	return clip(name, 200)
}
