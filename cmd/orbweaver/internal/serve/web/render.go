package web

import (
	"embed"
	"encoding/json"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/report"
)

//go:embed templates/*.tmpl
var templateFiles embed.FS

// frame is what every page shows around its content.
type frame struct {
	Base, Here     string // the base of addresses, and the address of the page from there
	Title          string
	Data           any
	Who, Version   string
	Signed         bool // somebody is signed in
	Editor, Admin  bool
	ReadOnly, Open bool
	Project, Run   *crumb
	Zone           string // of the times
}

// crumb is a link to a page above this one.
type crumb struct{ Name, Path string }

// templates are those of all pages, from which those of each zone are made.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"count": api.Count, "duration": durationText, "bytes": bytesText, "asset": assetPath, "href": href, "title": codeTitle, "advice": codeAdvice,
		"plural": api.Plural, "clip": clip, "address": shownURL, "sub": func(a, b int) int { return a - b }, "field": newField, "schedule": scheduleField, "access": accessField, "sentence": sentence, "dict": dict, "query": escapedQuery, "milliseconds": func(n int64) time.Duration { return time.Duration(n) * time.Millisecond },
	}).Funcs(clockIn("").functions()).ParseFS(templateFiles, "templates/*.tmpl"))
})

// escapedQuery returns the query of a saved view for a link.
func escapedQuery(query string) template.URL {
	v, _ := url.ParseQuery(query) // it was read when the view was saved
	return template.URL(v.Encode())
}

// dict makes a map for a template from names and values.
func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		m[name] = pairs[i+1]
	}
	return m
}

// sentence returns a text with a capital at its beginning.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// clip shortens a text to n characters.
func clip(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

// shownURL shortens a URL, as people read it, to n characters.
func shownURL(url string, n int) string { return clip(report.Readable(url), n) }

func durationText(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min " + strconv.Itoa(int(d.Seconds())%60) + " s"
	}
	return strconv.Itoa(int(d.Hours())) + " h " + strconv.Itoa(int(d.Minutes())%60) + " min"
}

func bytesText(n int64) string {
	switch {
	case n < 0:
		return "–"
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1_000_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}

// href returns a URL that may be the target of a link: only http and https.
func href(u string) string {
	lower := strings.ToLower(u[:min(len(u), 8)])
	if strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		return u
	}
	return ""
}

// codeTitle and codeAdvice explain a code.
func codeTitle(code string) string {
	e, _ := check.Lookup(check.Code(code))
	return e.Title
}

func codeAdvice(code string) string {
	e, _ := check.Lookup(check.Code(code))
	return e.Advice
}

type summary struct {
	Pages, Targets, References, Requests      int
	OK, Broken, Unverified, Skipped, Warnings int
	ByCode                                    map[string]int `json:"by_code"`
}

// summaryOf returns the summary of a run, nil if there is none yet.
func summaryOf(r *api.Run) *summary {
	if r == nil || len(r.Summary) == 0 || string(r.Summary) == "null" {
		return nil
	}
	s := &summary{}
	if json.Unmarshal(r.Summary, s) != nil {
		return nil
	}
	return s
}

func runTime(r *api.Run) *time.Time {
	if r.Started != nil {
		return r.Started
	}
	return &r.Created
}
