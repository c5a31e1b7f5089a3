package evidence

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// indexLine is the JSON of a line of the index (CDXJ).
type indexLine struct {
	URL      string `json:"url"`
	Mime     string `json:"mime"`
	Status   string `json:"status"`
	Digest   string `json:"digest"`
	Length   string `json:"length"`
	Offset   string `json:"offset"`
	Filename string `json:"filename"`
}

// pageLine is a line of the list of pages.
type pageLine struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Time  string `json:"ts"`
	Title string `json:"title"`
}

// maxTitlePart is how much of a page is read for its title, in bytes.
const maxTitlePart = 64 << 10

// describe adds an exchange that was written at a place to the index and the pages.
func (w *writer) describe(e *entry, at section) {
	if e.status == 0 || w.k.place.form == formWARC {
		return
	}
	line := indexLine{e.uri, cmp.Or(e.media, "unk"), strconv.Itoa(e.status), e.payload, strconv.FormatInt(at.length, 10), strconv.FormatInt(at.offset, 10), w.data.name}
	if e.kind == typeRevisit {
		line.Mime = "warc/revisit"
	}
	text, _ := json.Marshal(line)
	w.index.Add(surt(e.uri) + " " + e.date.UTC().Format("20060102150405") + " " + string(text))
	if e.facts.Page && e.status/100 == 2 && isHTML(e.media) {
		text, _ := json.Marshal(pageLine{strings.TrimSuffix(strings.TrimPrefix(e.id, "<urn:uuid:"), ">"), e.uri, e.date.UTC().Format(time.RFC3339), e.facts.Title})
		w.pages.Add(e.uri + "\x00" + string(text))
	}
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

// titleOf returns the title of a page, of whose text the beginning may be known. Most titles are in it, or near it,
// and to decode all of a page again would take as long as all the rest of keeping it.
func titleOf(body *spool, start []byte, header http.Header) string {
	if end := titleEnd(start); end > 0 {
		return extract.Extract(extract.Input{Body: start[:end], ContentType: header.Get("Content-Type")}).Title
	}
	coding := strings.Join(header["Content-Encoding"], ",")
	for part := int64(512); ; part *= 8 {
		decoded := fetch.DecodeBody(io.LimitReader(body.reader(), part), coding, maxTitlePart)
		text, found := untilTitle(decoded)
		decoded.Close()
		if found || part >= body.size {
			return extract.Extract(extract.Input{Body: text, ContentType: header.Get("Content-Type")}).Title
		}
	}
}

// untilTitle reads a page up to the end tag of its title. It reports false if the text ends before that.
func untilTitle(body io.Reader) (text []byte, found bool) {
	const step = 4 << 10
	for from, err := 0, error(nil); err == nil; {
		more, n := slices.Grow(text, step)[:len(text)+step], 0
		n, err = io.ReadFull(body, more[len(text):])
		text = more[:len(text)+n]
		if end := titleEnd(text[from:]); end > 0 {
			return text[:from+end], true
		}
		if len(text) >= maxTitlePart {
			return text, true // there is none
		}
		from = max(0, len(text)-len("</title"))
	}
	return text, false
}

// titleEnd returns the place behind the end tag of a title, 0 if there is none.
func titleEnd(text []byte) int {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte("</"))
		if i < 0 {
			return 0
		}
		from += i + len("</")
		if end := from + len("title>"); end <= len(text) && strings.EqualFold(string(text[from:end]), "title>") {
			return end
		}
	}
}

// surt returns the key of a URL in an index: its host reversed, without "www", in lower case.
func surt(address string) string {
	u, err := url.Parse(strings.ToLower(address))
	if err != nil || u.Host == "" {
		return strings.ReplaceAll(strings.ToLower(address), " ", "%20")
	}
	host := strings.TrimPrefix(u.Hostname(), "www.")
	if _, err := netip.ParseAddr(host); err != nil {
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		host = strings.Join(labels, ",")
	}
	if port := u.Port(); port != "" && !(u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443") {
		host += ":" + port
	}
	key := host + ")" + cmp.Or(u.EscapedPath(), "/")
	if u.RawQuery != "" {
		pairs := strings.Split(u.RawQuery, "&")
		slices.Sort(pairs)
		key += "?" + strings.Join(pairs, "&")
	}
	return key
}

// resource is an entry of the package.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// packageJSON is the package of a WACZ file (version 1.1.1).
type packageJSON struct {
	Profile   string     `json:"profile"`
	Version   string     `json:"wacz_version"`
	Software  string     `json:"software"`
	Created   string     `json:"created"`
	Title     string     `json:"title"`
	Resources []resource `json:"resources"`
	Orbweaver aboutRun   `json:"orbweaver"`
}

// aboutRun is what the package says of the run.
type aboutRun struct {
	Of       string   `json:"of"`
	Complete bool     `json:"complete"`
	LeftOut  int      `json:"left_out"`
	Targets  []string `json:"targets"`
}

// recorded is an output whose files have digests.
type recorded interface {
	output
	hashes() []*hashed
}

// finish writes the index, the pages and the package.
func (w *writer) finish() error {
	out, ok := w.out.(recorded)
	if !ok {
		return nil // a WARC file alone
	}
	if err := w.put(indexFile, w.index.Each); err != nil {
		return err
	}
	title := "Evidence of a check of " + strings.Join(w.about.Targets, ", ")
	head, _ := json.Marshal(map[string]string{"format": "json-pages-1.0", "id": "pages", "title": title})
	if err := w.put(pagesFile, func(line func(string) error) error {
		last := ""
		return errors.Join(line(string(head)), w.pages.Each(func(page string) error {
			url, text, _ := strings.Cut(page, "\x00")
			if url == last {
				return nil
			}
			last = url
			return line(text)
		}))
	}); err != nil {
		return err
	}
	p := packageJSON{Profile: "data-package", Version: "1.1.1", Software: w.k.options.Software, Created: w.now.UTC().Format(time.RFC3339), Title: title,
		Orbweaver: w.about}
	for _, h := range out.hashes() {
		p.Resources = append(p.Resources, resource{path.Base(h.name), h.name, h.digest(), h.n})
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = w.put(packageFile, oneText(string(text)))
	}
	if err != nil {
		return err
	}
	digest, _ := json.MarshalIndent(map[string]string{"path": packageFile, "hash": digestOf(append(text, '\n'))}, "", "  ")
	return w.put(digestFile, oneText(string(digest)))
}

// put writes a file of lines.
func (w *writer) put(name string, each func(line func(string) error) error) error {
	to, err := w.out.file(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(to)
	err = each(func(line string) error {
		_, err := b.WriteString(line + "\n")
		return err
	})
	return errors.Join(err, b.Flush())
}

func oneText(text string) func(func(string) error) error {
	return func(line func(string) error) error { return line(text) }
}

// zipOutput is a WACZ file.
type zipOutput struct {
	*fileOutput
	z     *zip.Writer
	files []*hashed
}

func createZip(name string) (*zipOutput, error) {
	f, err := createFile(name)
	if err != nil {
		return nil, err
	}
	return &zipOutput{fileOutput: f, z: zip.NewWriter(f.f)}, nil
}

func (o *zipOutput) file(name string) (io.Writer, error) {
	method := zip.Deflate
	if strings.HasPrefix(name, archiveDir+"/") || strings.HasPrefix(name, "indexes/") {
		method = zip.Store // readers look for places in these
	}
	to, err := o.z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: time.Now()})
	if err != nil {
		return nil, err
	}
	o.files = append(o.files, newHashed(name, to))
	return o.files[len(o.files)-1], nil
}

func (o *zipOutput) hashes() []*hashed { return o.files }

func (o *zipOutput) commit() error {
	if err := o.z.Close(); err != nil {
		return errors.Join(err, o.abandon())
	}
	return o.fileOutput.commit()
}

// dirOutput is a directory with what a WACZ file has.
type dirOutput struct {
	path  string
	last  *os.File
	files []*hashed
	names []string
}

func createDir(name string) (*dirOutput, error) { return &dirOutput{path: name}, nil }

func (o *dirOutput) at(name string) string { return filepath.Join(o.path, filepath.FromSlash(name)) }

func (o *dirOutput) end() error {
	if o.last == nil {
		return nil
	}
	last := o.last
	o.last = nil
	return errors.Join(last.Sync(), last.Close())
}

func (o *dirOutput) file(name string) (io.Writer, error) {
	if err := o.end(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(o.at(name)), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(o.at(name)+newSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	o.last, o.names = f, append(o.names, name)
	o.files = append(o.files, newHashed(name, f))
	return o.files[len(o.files)-1], nil
}

func (o *dirOutput) hashes() []*hashed { return o.files }

// commit puts the files in their places. While some are new and some old, there is no package, so
// that a reader does not take them for one.
func (o *dirOutput) commit() error {
	err := o.end()
	for _, name := range []string{packageFile, digestFile} {
		if removed := os.Remove(o.at(name)); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	for _, name := range o.names {
		if err == nil {
			err = os.Rename(o.at(name)+newSuffix, o.at(name))
		}
	}
	for n := range 100_000 { // files of an earlier run that had more
		if name := dataFile(n); !slices.Contains(o.names, name) && os.Remove(o.at(name)) != nil {
			break
		}
	}
	return err
}

func (o *dirOutput) abandon() error {
	err := o.end()
	for _, name := range o.names {
		err = errors.Join(err, os.Remove(o.at(name)+newSuffix))
	}
	return err
}
