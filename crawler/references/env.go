package references

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Env is what all pages of a run share.
type Env struct {
	Config   *rules.Config
	Scope    func() *rules.Scope // the scope as it is now
	Print    *rules.Printer
	Frontier *frontier.Frontier
	// Earlier returns the outcome that stands for asking a target, nil when it is to
	// be asked; it is nil itself when nothing is known from earlier runs.
	Earlier func(frontier.Fingerprint, rules.Href, rules.Fate, []byte) *check.Outcome
	// Forecast knows which references will be shown; nil keeps every link whole.
	Forecast *Forecast

	aliases []alias
}

// NewEnv returns an Env whose aliases are known.
func NewEnv(cfg *rules.Config, scope func() *rules.Scope, print *rules.Printer, f *frontier.Frontier) *Env {
	return &Env{Config: cfg, Scope: scope, Print: print, Frontier: f, aliases: findAliases(cfg, scope())}
}

// alias is a directory that two sites hold.
type alias struct{ from, to string }

func findAliases(cfg *rules.Config, scope *rules.Scope) []alias {
	var found []alias
	for _, inner := range cfg.Sites {
		if !scope.Crawled(inner) {
			continue
		}
		for _, outer := range cfg.Sites {
			if scope.Crawled(outer) || !outer.Synthetic() {
				continue
			}
			rel, err := filepath.Rel(outer.Dir(), inner.Dir())
			if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				continue
			}
			if from, err := outer.URLOf(filepath.ToSlash(rel)); err == nil {
				found = append(found, alias{strings.TrimSuffix(from.String(), "/") + "/", inner.Base().String()})
			}
		}
	}
	return found
}

// aliased leads a URL that lies in the folder of a single document, and also in a
// directory that is checked as a site, to that site: "orbweaver README.md docs"
// knows each document by one name. The result may use buf.
func (e *Env) aliased(v rules.Href, buf *[]byte) rules.Href {
	for i := range e.aliases {
		a := &e.aliases[i]
		if !bytes.HasPrefix(v.Bytes, []byte(a.from)) {
			continue
		}
		u, _, err := urinorm.ParseWeb(a.to + string(v.Bytes[len(a.from):]))
		if err != nil {
			return v
		}
		*buf = append((*buf)[:0], u.String()...)
		return rules.Href{Bytes: *buf, Offsets: u.Offsets()}
	}
	return v
}
