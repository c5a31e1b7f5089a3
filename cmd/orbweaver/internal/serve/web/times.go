package web

import (
	"html/template"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// clock shows times to a person.
type clock struct {
	zone *time.Location
	now  func() time.Time
}

// clockIn returns the clock of a zone, that of the server if the name is empty.
func clockIn(zone string) clock {
	at, err := time.LoadLocation(zone)
	if err != nil || zone == "" { // it was checked when it was stored
		at = time.Local
	}
	return clock{at, time.Now}
}

func (c clock) name() string {
	if c.zone != time.Local {
		return c.zone.String()
	}
	if name := strings.TrimPrefix(os.Getenv("TZ"), ":"); name != "" {
		return name
	}
	name, _ := c.now().In(c.zone).Zone()
	return name
}

// at formats a time; nil is "not yet".
func (c clock) at(t *time.Time) string {
	if t == nil {
		return "not yet"
	}
	return t.In(c.zone).Format("2 January 2006, 15:04 MST")
}

// when returns the element of a time. One that is at most a week away is told from now.
func (c clock) when(t *time.Time) template.HTML {
	if t == nil {
		return "not yet"
	}
	at := template.HTMLEscapeString(c.at(t))
	text := at
	if near := c.near(*t); near != "" {
		text = near
	}
	return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339) + `" title="` + at + `">` + text + `</time>`)
}

// near says how far away a time is, "" if it is more than a week.
func (c clock) near(t time.Time) string {
	away := t.Sub(c.now())
	var text string
	switch d := away.Abs(); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		text = api.Plural(int(d.Minutes()), "minute")
	case d < 24*time.Hour:
		text = api.Plural(int(d.Hours()), "hour")
	case d <= 7*24*time.Hour:
		text = api.Plural(int(d.Hours()/24), "day")
	default:
		return ""
	}
	if away > 0 {
		return "in " + text
	}
	return text + " ago"
}

// zoned are the templates of the zones in which pages were shown, at most maxZones.
var zoned struct {
	sync.Mutex
	templates map[string]*template.Template
}

const maxZones = 16

// templatesOf returns the templates that show times by a clock.
func templatesOf(c clock) (*template.Template, error) {
	zoned.Lock()
	defer zoned.Unlock()
	name := c.zone.String()
	if t := zoned.templates[name]; t != nil {
		return t, nil
	}
	t, err := templates().Clone()
	if err != nil {
		return nil, err
	}
	if len(zoned.templates) >= maxZones || zoned.templates == nil {
		zoned.templates = map[string]*template.Template{}
	}
	zoned.templates[name] = t.Funcs(c.functions())
	return t, nil
}

// functions are those of templates that show times.
func (c clock) functions() template.FuncMap {
	return template.FuncMap{"when": c.when, "at": c.at}
}
