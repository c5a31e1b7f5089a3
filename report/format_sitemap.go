package report

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

var sitemapFormat = Format{
	Name:       "sitemap",
	Extensions: []string{".sitemap.xml", ".sitemap.xml.gz"},
	Files:      []string{"sitemap.xml", "sitemap.xml.gz"},
	Use:        "search engines: the site's good pages",
	Pages:      true,
	New: func(w io.Writer, o Options) Writer {
		return &sitemapWriter{w: w, listed: map[string]time.Time{}, linked: map[string]bool{}, most: sitemapMost, size: sitemapSize}
	},
}

// Limits of one file, by sitemaps.org.
const (
	sitemapMost      = 50_000
	sitemapSize      = 50 << 20 // bytes, before compression
	sitemapLongest   = 2048     // characters of a URL, fewer than
	sitemapNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
)

// sitemapWriter writes the pages that search engines should know: HTML pages that
// were read under their own address, which no redirect led to, that do not ask to
// be left out or name another address as theirs, and that nothing is wrong with.
// All are of one origin, the first start page's, as the protocol wants it. Without
// pages, as in a saved report, results tell them, if they were saved.
//
// More than one file takes become several beside the one that was named, which
// then is their index; elsewhere than in a file, a remark says that they are too
// many. A file is not made of none; elsewhere, a remark tells why there is none. A
// name that ends in .gz is compressed.
type sitemapWriter struct {
	w      io.Writer
	most   int
	size   int
	start  *crawler.Page // of the least depth
	listed map[string]time.Time
	linked map[string]bool // what pages link to
	pages  int
}

func (s *sitemapWriter) Begin(*Head) error { return nil }

func (s *sitemapWriter) Page(p *crawler.Page) error {
	s.pages++
	for _, l := range p.Links {
		target, _, _ := strings.Cut(l.URL, "#")
		s.linked[target] = true
	}
	if !isWeb(p.URL) || p.Format != "html" {
		return nil
	}
	if s.start == nil || p.Depth < s.start.Depth {
		s.start = p
	}
	if !p.NoIndex && (p.Canonical == p.URL || !isWeb(p.Canonical)) {
		s.listed[p.URL] = p.Modified
	}
	return nil
}

// Result takes back what is not good, or lists what is when there were no pages.
func (s *sitemapWriter) Result(r *crawler.Result) error {
	soft := slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return w.Code == check.CodeSoft404 })
	page, _, fragment := strings.Cut(r.URL, "#")
	switch {
	case isBad(r) || soft && !fragment:
		delete(s.listed, page)
	case s.pages > 0 || soft || r.Verdict != check.OK || !r.Internal || len(r.Redirects) > 0 || !isWeb(page):
	case r.ContentType == "text/html" || r.ContentType == "application/xhtml+xml":
		s.listed[page] = time.Time{}
		s.linked[page] = true
		if s.start == nil || len(page) < len(s.start.URL) {
			s.start = &crawler.Page{URL: page}
		}
	}
	return nil
}

func (s *sitemapWriter) End(*crawler.Summary) error {
	entries, dir := s.entries()
	f, ok := s.w.(*file)
	switch {
	case len(entries) == 0 && ok:
		return errNoPages
	case !ok || f.plain:
		return s.single(s.w, entries)
	}
	zipped := strings.HasSuffix(strings.ToLower(f.name), ".gz")
	parts := s.split(entries)
	if len(parts) == 1 {
		return compressed(f, zipped, func(w io.Writer) error { return s.single(w, entries) })
	}
	return s.index(f, zipped, parts, dir)
}

// errNoPages is what becomes of a sitemap without a page, which no file may be.
var errNoPages = errors.New("write sitemap: " + noPages)

const noPages = "there is no page to list: it takes HTML pages with a web address, " +
	"so give a directory its --base-url, and save a report with --show all"

// entries are the sitemap's url elements, in order, and the directory all lie in.
func (s *sitemapWriter) entries() (all [][]byte, dir string) {
	if s.start == nil {
		return nil, ""
	}
	origin := originOf(s.start.URL)
	listed := map[string]time.Time{}
	for page, modified := range s.listed {
		if originOf(page) != origin {
			continue
		}
		// A directory's document is published under the directory's name too; that
		// is its address unless somebody links to the other.
		if short, ok := strings.CutSuffix(page, "/index.html"); ok && !s.linked[page] {
			page = short + "/"
		}
		if loc := uriReference(page); len(loc) < sitemapLongest {
			listed[loc] = modified
		}
	}
	locs := make([]string, 0, len(listed))
	for loc := range listed {
		locs = append(locs, loc)
	}
	slices.Sort(locs)
	for _, loc := range locs {
		x := xmlText{w: io.Discard, names: []string{"urlset"}}
		x.start("url")
		x.leaf("loc", loc)
		if m := listed[loc]; !m.IsZero() {
			x.leaf("lastmod", m.UTC().Format(time.RFC3339))
		}
		x.end()
		all = append(all, x.buf)
		dir = commonDirectory(cmp.Or(dir, loc), loc)
	}
	return all, dir
}

// commonDirectory is the deepest directory that both URLs, of one origin, lie in.
func commonDirectory(a, b string) string {
	a, _, _ = strings.Cut(a, "?")
	b, _, _ = strings.Cut(b, "?")
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:strings.LastIndexByte(a[:n], '/')+1]
}

const (
	sitemapOpen  = xmlDeclaration + "\n<urlset xmlns=\"" + sitemapNamespace + "\">"
	sitemapClose = "\n</urlset>\n"
)

// split divides entries into files that keep the limits.
func (s *sitemapWriter) split(entries [][]byte) (parts [][][]byte) {
	const frame = len(sitemapOpen) + len(sitemapClose)
	from, size := 0, frame
	for i, e := range entries {
		if i-from == s.most || size+len(e) > s.size {
			parts = append(parts, entries[from:i])
			from, size = i, frame
		}
		size += len(e)
	}
	return append(parts, entries[from:])
}

// single writes all entries into one sitemap.
func (s *sitemapWriter) single(w io.Writer, entries [][]byte) error {
	var b []byte
	b = append(b, sitemapOpen...)
	if len(entries) == 0 {
		b = append(b, "\n  <!-- "+strings.ReplaceAll(noPages, "--", "")+" -->"...) // a comment holds no "--"
	}
	if n := len(s.split(entries)); n > 1 {
		b = fmt.Appendf(b, "\n  <!-- too many for one sitemap: written to a file they become %d, and an index -->", n)
	}
	for _, e := range entries {
		b = append(b, e...)
		if len(b) >= jsonBuffer {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err := w.Write(append(b, sitemapClose...))
	return err
}

// index writes each part into a file of its own, NAME-1.xml and so on, and their
// index into f. Its addresses suppose that all are published in dir.
func (s *sitemapWriter) index(f *file, zipped bool, parts [][][]byte, dir string) error {
	x := xmlText{}
	x.declare()
	x.start("sitemapindex", "xmlns", sitemapNamespace)
	for i, part := range parts {
		own := partName(filepath.Base(f.name), i+1)
		to, err := f.beside(own)
		if err != nil {
			return err
		}
		if err := compressed(to, zipped, func(w io.Writer) error { return s.single(w, part) }); err != nil {
			return err
		}
		x.start("sitemap")
		x.leaf("loc", dir+url.PathEscape(own))
		x.end()
	}
	x.end()
	x.newline()
	return compressed(f, zipped, func(w io.Writer) error {
		x.w = w
		return x.flush()
	})
}

// partName is the name of a sitemap's part: NAME-2.xml for NAME.xml.
func partName(name string, i int) string {
	extension := ""
	for _, ext := range []string{".gz", ".xml", ".sitemap"} {
		if rest := name[:max(len(name)-len(ext), 0)]; strings.EqualFold(name[len(rest):], ext) {
			name, extension = rest, name[len(rest):]+extension
		}
	}
	return fmt.Sprintf("%s-%d%s", name, i, extension)
}

// compressed has write's output compressed when zipped.
func compressed(w io.Writer, zipped bool, write func(io.Writer) error) error {
	if !zipped {
		return write(w)
	}
	z := gzip.NewWriter(w)
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}
