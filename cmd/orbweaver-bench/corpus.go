package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// corpus is a site to check: a directory or a generated site.
type corpus struct {
	name         string
	dir          string // empty for a generated site
	seed         uint64
	pages, links int
}

// parseCorpus parses the path of a directory, or "site:PAGESxLINKS[@SEED]".
func parseCorpus(name string) (corpus, error) {
	c := corpus{name: name, seed: 1}
	spec, generated := strings.CutPrefix(name, "site:")
	if !generated {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return c, err
		case !info.IsDir():
			return c, fmt.Errorf("%s is not a directory", name)
		}
		c.dir, err = filepath.Abs(name)
		return c, err
	}
	size, seed, seeded := strings.Cut(spec, "@")
	pages, links, ok := strings.Cut(size, "x")
	var err error
	if c.pages, err = strconv.Atoi(pages); err != nil || !ok {
		return c, fmt.Errorf("%s: use site:PAGESxLINKS[@SEED], such as site:1000x50", name)
	}
	if c.links, err = strconv.Atoi(links); err != nil {
		return c, fmt.Errorf("%s: %q is not a number of links", name, links)
	}
	if seeded {
		if c.seed, err = strconv.ParseUint(seed, 10, 64); err != nil {
			return c, fmt.Errorf("%s: %q is not a seed", name, seed)
		}
	}
	return c, nil
}

// handler serves the corpus.
func (c corpus) handler() http.Handler {
	if c.dir == "" {
		return unchanging{crawlertest.Generate(c.seed, c.pages, c.links), []string{fmt.Sprintf("\"%d-%dx%d\"", c.seed, c.pages, c.links)}}
	}
	return &directory{dir: c.dir, files: map[string]*file{}}
}

// unchanging adds a validator to the answers of a generated site, whose pages never change.
// Without one, a second run would have to read them again.
type unchanging struct {
	http.Handler
	etag []string
}

func (u unchanging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header()["Etag"] = u.etag
	if r.Header.Get("If-None-Match") == u.etag[0] {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	u.Handler.ServeHTTP(w, r)
}

// directory serves files from memory. It reads each file once, on its first request.
type directory struct {
	dir   string
	mu    sync.RWMutex
	files map[string]*file
}

type file struct {
	body     []byte
	mime     []string
	length   []string
	etag     []string
	modified []string
	redirect string
	missing  bool
}

// ServeHTTP answers like a static host: index.html is the index file of a directory, and
// a directory without a slash is redirected.
func (d *directory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := d.file(r.URL.Path)
	switch {
	case f.missing:
		http.NotFound(w, r)
	case f.redirect != "":
		http.Redirect(w, r, f.redirect, http.StatusMovedPermanently)
	default:
		w.Header()["Content-Type"] = f.mime
		w.Header()["Etag"], w.Header()["Last-Modified"] = f.etag, f.modified
		if r.Header.Get("If-None-Match") == f.etag[0] {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header()["Content-Length"] = f.length
		if r.Method != http.MethodHead {
			_, _ = w.Write(f.body) // the client may have closed the connection
		}
	}
}

func (d *directory) file(name string) *file {
	d.mu.RLock()
	f := d.files[name]
	d.mu.RUnlock()
	if f != nil {
		return f
	}
	f = d.read(name)
	d.mu.Lock()
	d.files[name] = f
	d.mu.Unlock()
	return f
}

func (d *directory) read(name string) *file {
	clean := path.Clean("/" + name)
	at := filepath.Join(d.dir, filepath.FromSlash(clean))
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return &file{missing: true}
	case info.IsDir() && !strings.HasSuffix(name, "/"):
		return &file{redirect: clean + "/"}
	case info.IsDir():
		at = filepath.Join(at, "index.html")
	case strings.HasSuffix(name, "/"):
		return &file{missing: true}
	}
	body, err := os.ReadFile(at)
	if err == nil {
		info, err = os.Stat(at)
	}
	if err != nil {
		return &file{missing: true}
	}
	kind := mime.TypeByExtension(filepath.Ext(at))
	if kind == "" {
		kind = http.DetectContentType(body)
	}
	if strings.HasPrefix(kind, "text/html") && !bytes.Contains(body[:min(1024, len(body))], []byte("charset")) {
		kind = "text/html" // without a charset, because the file does not tell it
	}
	return &file{body: body, mime: []string{kind}, length: []string{strconv.Itoa(len(body))}, modified: []string{info.ModTime().UTC().Format(http.TimeFormat)},
		etag: []string{fmt.Sprintf("\"%x\"", sha256.Sum256(body))}}
}
