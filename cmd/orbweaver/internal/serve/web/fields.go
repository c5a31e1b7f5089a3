package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

type kind string

const (
	line   kind = "line"   // one line of text
	lines  kind = "lines"  // several values, one a line
	onOff  kind = "switch" // a check box
	choice kind = "choice" // one of a few words
)

type optionGroup struct {
	Title   string
	Options []*option.Flag
}

// optionGroups are the flags of check that a project may set, as the form shows them.
var optionGroups = sync.OnceValue(func() (groups []optionGroup) {
	for _, section := range option.Sections {
		g := optionGroup{Title: string(section)}
		for _, f := range option.Of(option.Check) {
			if f.Form != nil && f.Form.Section == section {
				g.Options = append(g.Options, f)
			}
		}
		groups = append(groups, g)
	}
	return groups
})

func kindOf(f *option.Flag) kind {
	switch {
	case f.IsSwitch():
		return onOff
	case f.Words != nil:
		return choice
	case f.Many == option.List:
		return lines
	}
	return line
}

// field is a control with its value and what is wrong with it.
type field struct {
	Name, Label, Hint, Value, Fault, Initial string
	Kind                                     kind
	Choices                                  []string
	List                                     string // the id of a list of suggestions
}

func newField(name, label, hint, value, fault string) field {
	return field{Name: name, Label: label, Hint: hint, Value: value, Fault: fault, Kind: line}
}

func scheduleField(value, fault string) field {
	f := newField("schedule", "Schedule", "@hourly, @daily, @weekly, or five fields of cron, such as 30 3 * * 1-5.", value, fault)
	f.Initial, f.List = "only when somebody asks", "schedules"
	return f
}

// accessField returns the field of those who see a project, for templates.
func accessField(value, fault string) field {
	f := newField("access", "Who sees it", "Empty: everybody, by role. Else a name and viewer or editor on each line, such as “ada editor”; token:NAME is a token. Administrators always see it; a line with - is for them alone.", value, fault)
	f.Kind = lines
	return f
}

var quietNames = []string{"quiet.from", "quiet.to", "quiet.days", "quiet.zone"}

// QuietFields returns the fields of the quiet time.
func (p *projectForm) QuietFields() (all []field) {
	labels := []string{"No messages from", "to", "Whole days", "Time zone"}
	hints := []string{"A time such as 20:00. What is held leaves as one message after the quiet time.", "A time such as 07:00, of the next day if it is earlier.", "Such as sat sun.", "Such as Europe/Berlin; empty: that of the server."}
	for i, name := range quietNames {
		all = append(all, newField(name, labels[i], hints[i], p.Value(name), p.Fault(name)))
	}
	return all
}

// IsQuiet reports whether the form has a quiet time.
func (p *projectForm) IsQuiet() bool {
	return slices.ContainsFunc(quietNames, func(name string) bool { return p.Value(name)+p.Fault(name) != "" })
}

// quietValues sets the fields of the quiet time.
func quietValues(v url.Values, q *api.Quiet) {
	q = cmp.Or(q, &api.Quiet{})
	for i, value := range []string{q.From, q.To, strings.Join(q.Days, " "), q.Zone} {
		v.Set(quietNames[i], value)
	}
}

// quietMember returns the member of the API for the fields of a form: nil if they are empty.
func quietMember(v url.Values) *api.Quiet {
	text := func(name string) string { return strings.TrimSpace(v.Get(name)) }
	q := &api.Quiet{From: text("quiet.from"), To: text("quiet.to"), Days: append([]string{}, words(v.Get("quiet.days"))...), Zone: text("quiet.zone")}
	if q.From+q.To+q.Zone == "" && len(q.Days) == 0 {
		return nil
	}
	return q
}

// words returns the words of a text, between which are spaces and commas.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// noAccess is the line for a project that only administrators see.
const noAccess = "-"

// accessLines returns who sees a project as its form shows them.
func accessLines(access map[string]string) string {
	if access != nil && len(access) == 0 {
		return noAccess
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(access)) {
		all = append(all, name+" "+access[name])
	}
	return strings.Join(all, "\n")
}

// accessMember returns the member of the API for the lines of a form: null if there are none.
func accessMember(text string) map[string]string {
	var access map[string]string
	for _, l := range splitLines(text) {
		if access == nil {
			access = map[string]string{}
		}
		if name, role, _ := strings.Cut(l, " "); l != noAccess {
			access[name] = strings.TrimSpace(role)
		}
	}
	return access
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

func groupsOf(values url.Values, faults map[string]string) []group {
	var all []group
	for _, g := range optionGroups() {
		made := group{Title: g.Title}
		for _, o := range g.Options {
			f := field{Name: o.Name, Label: o.Form.Label, Hint: o.Form.Hint, Kind: kindOf(o), Initial: cmp.Or(o.Initial, o.Form.Unset), Choices: o.Words, Value: values.Get(o.Name), Fault: faults[o.Name]}
			made.Open = made.Open || f.Value != "" || f.Fault != ""
			made.Fields = append(made.Fields, f)
		}
		all = append(all, made)
	}
	return all
}

func valuesOf(p *api.Project) url.Values {
	v := url.Values{"name": {p.Name}, "targets": {strings.Join(p.Targets, "\n")}, "schedule": {p.Schedule}, "access": {accessLines(p.Access)}, "tags": {strings.Join(p.Tags, " ")}}
	quietValues(v, p.Quiet)
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
	for _, g := range optionGroups() {
		for _, o := range g.Options {
			kinds[o.Name] = kindOf(o)
		}
	}
	options, given := map[string]any{}, create
	for name, all := range v {
		if slices.Contains([]string{"name", "targets", "schedule", "access", "tags", "urls", "do", "run", "version"}, name) || slices.Contains(quietNames, name) {
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
	if v.Has("tags") {
		body["tags"] = append([]string{}, words(v.Get("tags"))...)
	}
	if v.Has("quiet.from") {
		body["quiet"] = quietMember(v)
	}
	if v.Has("access") {
		body["access"] = accessMember(v.Get("access"))
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
