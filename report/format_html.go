package report

import (
	"bufio"
	"io"
	"path/filepath"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

var htmlFormat = Format{
	Name:       "html",
	Extensions: []string{".html", ".htm"},
	Use:        "an interactive page: findings, pages, redirects, map",
	References: true,
	Pages:      true,
	NewOnly:    true,
	New: func(w io.Writer, o Options) Writer {
		return &htmlWriter{w: w, show: o.Show.orDefault(), dir: filepath.ToSlash(o.RunDir)}
	},
}

// htmlWriter writes one self-contained file. It has a summary and the first findings as
// plain HTML, for readers without scripts, and all results as data for the script that
// shows tables and draws the map.
//
//	page.tmpl      content without scripts
//	theme.css      the visual language; see [Theme]
//	theme.js       the choice between light and dark
//	style.css      what only the report has
//	app/*.js       views, joined in the order of their names
//	vendor         the graph library
//
// Strings from pages enter the file in only two ways: through html/template, and as JSON
// whose strings the script puts into text nodes. A Content-Security-Policy permits, by
// hash, only the scripts and styles of the report.
type htmlWriter struct {
	w       io.Writer
	show    Show
	dir     string // the working directory of the run, or ""
	head    *Head
	pages   []*result.Page
	results []*result.Result
}

func (h *htmlWriter) Begin(head *Head) error {
	h.head = head
	return nil
}

func (h *htmlWriter) Page(p *result.Page) error {
	h.pages = append(h.pages, p)
	return nil
}

func (h *htmlWriter) Result(r *result.Result) error {
	if h.head.compared != nil && changeOf(r) == "fixed" {
		return nil // listed by the summary
	}
	h.results = append(h.results, r)
	return nil
}

func (h *htmlWriter) End(s *result.Summary) error {
	d := newHTMLDocument(h.head, s, h.show, h.pages, h.results)
	d.nameFromRoot(h.dir)
	out := bufio.NewWriterSize(h.w, 64<<10)
	if err := d.write(out); err != nil {
		return err
	}
	return out.Flush()
}

type htmlDocument struct {
	head     *Head
	summary  *result.Summary
	show     Show
	declared catalog // codes that plugins declared
	codes    []check.Entry
	web      *webGraph
	results  []*result.Result
	// placesEach is the maximum number of places that a result lists.
	placesEach, omittedPlaces, omittedResults int
}

func newHTMLDocument(head *Head, s *result.Summary, show Show, pages []*result.Page, results []*result.Result) *htmlDocument {
	d := &htmlDocument{head: head, summary: s, show: show, declared: newCatalog(head), results: listed(results, maxHTMLResults)}
	d.omittedResults = len(results) - len(d.results)
	d.placesEach, d.omittedPlaces = placesEach(d.results, maxHTMLPlaces)
	d.codes = codesOf(s, d.results, d.declared)
	d.web = newWebGraph(head, pages, d.results)
	return d
}

// nameFromRoot gives documents outside the working directory their paths from the root.
func (d *htmlDocument) nameFromRoot(dir string) {
	if dir == "" {
		return
	}
	d.results = resultsFromRoot(dir, d.results)
	for i := range d.web.nodes {
		d.web.nodes[i].url = fromRoot(dir, d.web.nodes[i].url)
	}
}

// write writes the template with the data in the middle.
func (d *htmlDocument) write(out *bufio.Writer) error {
	assets, err := htmlAssets()
	if err != nil {
		return err
	}
	page, err := d.page(assets)
	if err != nil {
		return err
	}
	if err := assets.template.ExecuteTemplate(out, "top", page); err != nil {
		return err
	}
	out.WriteString(`<script type="application/json" id="data">`)
	if err := writeHTMLData(out, d); err != nil {
		return err
	}
	out.WriteString("</script>")
	return assets.template.ExecuteTemplate(out, "bottom", assets)
}
