package report

import (
	"bufio"
	"io"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

var htmlFormat = Format{
	Name:       "html",
	Extensions: []string{".html", ".htm"},
	Use:        "one page to read and click through: tables, redirects, the site as a web",
	References: true,
	Pages:      true,
	NewOnly:    true,
	New:        func(w io.Writer, o Options) Writer { return &htmlWriter{w: w, show: o.Show.orDefault()} },
}

// htmlWriter writes one file that needs no other and no network: a summary and the
// first findings as plain HTML, for readers without scripts, and everything as data
// for the script that makes tables and draws the site.
//
//	page.tmpl      what is there without scripts
//	style.css      light and dark
//	app/*.js       the views, joined in the order of their names
//	vendor         the graph library
//
// Strings of pages get into it on two ways only: through html/template, and as
// JSON that the script puts into text nodes. A Content-Security-Policy lets run
// what the file was made with, by hash, and nothing else.
type htmlWriter struct {
	w       io.Writer
	show    Show
	head    *Head
	pages   []*crawler.Page
	results []*crawler.Result
}

func (h *htmlWriter) Begin(head *Head) error {
	h.head = head
	return nil
}

func (h *htmlWriter) Page(p *crawler.Page) error {
	h.pages = append(h.pages, p)
	return nil
}

func (h *htmlWriter) Result(r *crawler.Result) error {
	h.results = append(h.results, r)
	return nil
}

func (h *htmlWriter) End(s *crawler.Summary) error {
	d := newHTMLDocument(h.head, s, h.show, h.pages, h.results)
	out := bufio.NewWriterSize(h.w, 64<<10)
	if err := d.write(out); err != nil {
		return err
	}
	return out.Flush()
}

// htmlDocument is what an HTML report says.
type htmlDocument struct {
	head    *Head
	summary *crawler.Summary
	show    Show
	codes   []check.Entry
	web     *web
	results []*crawler.Result
	// placesEach is how many places a result lists; the others are left out.
	placesEach, leftPlaces, leftResults int
}

func newHTMLDocument(head *Head, s *crawler.Summary, show Show, pages []*crawler.Page, results []*crawler.Result) *htmlDocument {
	d := &htmlDocument{head: head, summary: s, show: show, results: listed(results, maxHTMLResults)}
	d.leftResults = len(results) - len(d.results)
	d.placesEach, d.leftPlaces = placesEach(d.results, maxHTMLPlaces)
	d.codes = codesOf(s, d.results)
	d.web = weave(head, pages, d.results)
	return d
}

// write writes the document: its template, in whose midst the data stands.
func (d *htmlDocument) write(out *bufio.Writer) error {
	assets, err := htmlAssets()
	if err != nil {
		return err
	}
	if err := assets.template.ExecuteTemplate(out, "top", d.page(assets)); err != nil {
		return err
	}
	out.WriteString(`<script type="application/json" id="data">`)
	if err := writeHTMLData(out, d); err != nil {
		return err
	}
	out.WriteString("</script>")
	return assets.template.ExecuteTemplate(out, "bottom", assets)
}
