package report

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

var sitemapFormat = Format{
	Name:       "sitemap",
	Extensions: []string{".sitemap.xml", ".sitemap.xml.gz"},
	Files:      []string{"sitemap.xml", "sitemap.xml.gz"},
	Use:        "search engines: the valid pages of the site",
	Pages:      true,
	New: func(w io.Writer, o Options) Writer {
		return &sitemapWriter{w: w, listed: map[string]time.Time{}, linked: map[string]bool{}, most: sitemapMost, size: sitemapSize}
	},
}

// Limits of one sitemap file (sitemaps.org).
const (
	sitemapMost      = 50_000
	sitemapSize      = 50 << 20 // bytes before compression
	sitemapLongest   = 2048     // characters; a URL must be shorter
	sitemapNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
)

// sitemapWriter writes the pages that search engines should index: HTML pages without
// findings that were read under their own URL, that are not the target of a redirect,
// that do not ask to be excluded, and that have no other canonical URL. As the protocol
// requires, all of them have one origin, that of the first start page. Without pages, as
// in a saved report, the sitemap lists the results, if the report has them.
//
// If the pages exceed the limits of one file, the writer puts several sitemaps next to
// the named file, which becomes their index. Output that is not a file contains a comment
// about the excess instead. A sitemap without pages is an error for a file; elsewhere, a
// comment explains why there are none. If the file name ends in .gz, the output is
// compressed.
type sitemapWriter struct {
	w      io.Writer
	most   int
	size   int
	start  *result.Page // page with the smallest depth
	listed map[string]time.Time
	linked map[string]bool // targets of links
	pages  int
}

func (s *sitemapWriter) Begin(*Head) error { return nil }

func (s *sitemapWriter) Page(p *result.Page) error {
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

// Result removes pages that have findings, or adds valid ones if there were no pages.
func (s *sitemapWriter) Result(r *result.Result) error {
	if r.Kind != result.KindTarget {
		return nil
	}
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
			s.start = &result.Page{URL: page}
		}
	}
	return nil
}

func (s *sitemapWriter) End(*result.Summary) error {
	entries, dir := s.entries()
	f, ok := s.w.(*file)
	switch {
	case len(entries) == 0 && ok:
		return errNoPages
	case !ok || f.direct:
		return s.single(s.w, entries)
	}
	zipped := strings.HasSuffix(strings.ToLower(f.name), ".gz")
	parts := s.split(entries)
	if len(parts) == 1 {
		return compressed(f, zipped, func(w io.Writer) error { return s.single(w, entries) })
	}
	return s.index(f, zipped, parts, dir)
}

// errNoPages is the error of a sitemap without a page, which a file must not be.
var errNoPages = errors.New("write sitemap: " + noPages)

const noPages = "there is no page to list: a sitemap lists HTML pages with http or https URLs, " + "so check a directory with --base-url, and save a report with --show all"

// entries returns the url elements of the sitemap in order, and the deepest directory
// that contains all pages.
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
		// The index of a directory is also published under the name of the directory.
		// That is its URL, unless a page links to the other one.
		if short, ok := strings.CutSuffix(page, "/index.html"); ok && !s.linked[page] {
			page = short + "/"
		}
		if loc := uriReference(page); len(loc) < sitemapLongest {
			listed[loc] = modified
		}
	}
	for _, loc := range slices.Sorted(maps.Keys(listed)) {
		x := xmlEncoder{w: io.Discard, names: []string{"urlset"}}
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

const (
	sitemapOpen  = xmlDeclaration + "\n<urlset xmlns=\"" + sitemapNamespace + "\">"
	sitemapClose = "\n</urlset>\n"
)

// split divides entries among files within the limits.
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

func (s *sitemapWriter) single(w io.Writer, entries [][]byte) error {
	var b []byte
	b = append(b, sitemapOpen...)
	if len(entries) == 0 {
		b = append(b, "\n  <!-- "+strings.ReplaceAll(noPages, "--", "")+" -->"...) // a comment must not contain "--"
	}
	if n := len(s.split(entries)); n > 1 {
		b = fmt.Appendf(b, "\n  <!-- too many pages for one sitemap: in a file, this report becomes %d sitemaps and an index -->", n)
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

// index writes each part to a file of its own, NAME-1.xml and so on, and their index to
// f. The URLs in the index assume that all files are published in dir.
func (s *sitemapWriter) index(f *file, zipped bool, parts [][][]byte, dir string) error {
	x := xmlEncoder{}
	x.declare()
	x.start("sitemapindex", "xmlns", sitemapNamespace)
	for i, part := range parts {
		own := partName(filepath.Base(f.name), i+1)
		to, err := f.createSibling(own)
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
	return compressed(f, zipped, func(w io.Writer) error {
		x.w = w
		return x.finish()
	})
}

// partName returns the name of a part of a sitemap: NAME-2.xml for NAME.xml.
func partName(name string, i int) string {
	extension := ""
	for _, ext := range []string{".gz", ".xml", ".sitemap"} {
		if rest := name[:max(len(name)-len(ext), 0)]; strings.EqualFold(name[len(rest):], ext) {
			name, extension = rest, name[len(rest):]+extension
		}
	}
	return fmt.Sprintf("%s-%d%s", name, i, extension)
}

// compressed calls write with w, or with a gzip writer to w if zipped is true.
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
