package references

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Env holds what all pages of a run share.
type Env struct {
	*scope.Current
	Print    *scope.Printer
	Frontier *frontier.Frontier
	// Pages is set if each page is reported with all its links.
	Pages bool
	// Markup is set if links of documents in markup are read.
	Markup bool
	// Earlier is what earlier runs observed, nil if there was none.
	Earlier *recall.Memory
	// Keeps is set if pages are kept for later runs (Keep).
	Keeps bool
	// Routes makes fragments that name a view of an application, such as "#/guide",
	// targets of their own, on pages that are read.
	Routes bool
	// Forecast predicts which references will be shown. If it is nil, every link is
	// kept whole.
	Forecast *Forecast

	aliases []alias
}

// NewEnv returns the Env of a run.
func NewEnv(scope *scope.Current, f *frontier.Frontier) *Env {
	return &Env{Current: scope, Print: scope.Scope().Print, Frontier: f, aliases: findAliases(scope.Scope())}
}

// MayBeBare reports whether the links of a document may be kept bare. The document must
// be a file whose length is the announced one, which is not so in /proc. A remapped link is
// kept with the URL that was replaced.
func (e *Env) MayBeBare(resp *fetch.Response, body []byte) bool {
	return e.Forecast != nil && len(e.Scope().Rules.Remaps) == 0 && !e.Markup && resp.LocalFile() != "" && len(resp.Header) == 0 && resp.Size == int64(len(body))
}

// alias is a directory that belongs to two sites, by its URL in each.
type alias struct{ from, to string }

func findAliases(scope *scope.Scope) []alias {
	var found []alias
	for _, inner := range scope.Sites {
		if !scope.Crawled(inner) {
			continue
		}
		for _, outer := range scope.Sites {
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

// resolveAlias maps a URL in the folder of a single document to the site that the same
// file belongs to, if it also lies in a directory that is checked as a site. So each
// document of "orbweaver README.md docs" has one URL. replaced is false if the file does not.
func (e *Env) resolveAlias(v scope.Href) (to urinorm.URL, replaced bool) {
	for i := range e.aliases {
		a := &e.aliases[i]
		if !bytes.HasPrefix(v.Bytes, []byte(a.from)) {
			continue
		}
		u, _, err := urinorm.ParseWeb(a.to + string(v.Bytes[len(a.from):]))
		return u, err == nil
	}
	return to, false
}
