package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// maxDocumentRedirects is the maximum number of redirects to a document.
const maxDocumentRedirects = 10

// download fetches the documents that extract is given by URL. For each it sends one
// request, and one for each redirect.
type download struct {
	config fetch.HTTPConfig
	limit  int64 // maximum size of a body, in bytes
	note   func(string, ...any)
	web    *fetch.HTTP
	by     fetch.Mux
}

// open makes the fetchers when they are first needed.
func (d *download) open() error {
	if d.web != nil {
		return nil
	}
	web, err := fetch.NewHTTP(d.config)
	if err != nil {
		return usageError("%w", err)
	}
	daemons, err := fetch.NewOtherSchemes(web, fetch.OtherSchemesConfig{DNSServer: d.config.DNSServer})
	if err != nil {
		web.Close()
		return usageError("%w", err)
	}
	if d.config.DenyPrivate && web.UsesProxy() {
		d.note("%s", proxyNote)
	}
	d.web, d.by = web, daemons.Fetchers()
	d.by["http"], d.by["https"] = web, web
	return nil
}

func (d *download) close() {
	if d.web != nil {
		d.web.Close()
	}
}

type page struct {
	url       urinorm.URL // after redirects
	input     extract.Input
	header    http.Header
	truncated string // why the end is missing; "" if it is complete
}

// get fetches one document. The user's credentials and headers are only sent to the host
// that was named.
func (d *download) get(ctx context.Context, named urinorm.URL) (*page, error) {
	u := named
	for range maxDocumentRedirects + 1 {
		resp, err := crawler.Get(ctx, d.by, &fetch.Request{URL: u, Need: fetch.Content, Internal: u.Authority() == named.Authority()})
		if err != nil {
			return nil, err
		}
		p, next, err := d.answer(u, resp)
		if err != nil || p != nil {
			return p, err
		}
		u = next
	}
	return nil, fmt.Errorf("it is redirected more than %d times", maxDocumentRedirects)
}

// answer reads the document of a response, or returns the URL of its redirect.
func (d *download) answer(u urinorm.URL, resp *fetch.Response) (*page, urinorm.URL, error) {
	if resp.Body != nil {
		defer resp.Body.Close()
	}
	if resp.Location != "" && resp.Status >= 300 && resp.Status < 400 {
		base, err := urinorm.NewBase(u, "")
		if err != nil {
			return nil, u, err
		}
		next, _, err := base.Resolve(resp.Location)
		if err == nil && (isWeb(u) && !isWeb(next) || d.by[next.Scheme()] == nil) {
			err = errors.New("browsers do not follow such a redirect")
		}
		if err != nil {
			return nil, u, fmt.Errorf("it is redirected to %s: %w", printable(urinorm.Redact(resp.Location)), err)
		}
		return nil, next, nil
	}
	if resp.Status != 0 && (resp.Status < 200 || resp.Status > 299) {
		return nil, u, fmt.Errorf("the server answered %d %s", resp.Status, http.StatusText(resp.Status))
	}
	if resp.Body == nil {
		return nil, u, errors.New("the answer has no document")
	}
	body, err := fetch.ReadDocument(resp.Body, d.limit)
	p := &page{url: u, header: resp.Header}
	switch {
	case err != nil && len(body) == 0:
		return nil, u, err
	case err != nil:
		p.truncated = err.Error() // what came before the error is read
	case int64(len(body)) > d.limit:
		p.truncated = fmt.Sprintf("longer than %d bytes; the rest is not read, see --max-body", d.limit)
	}
	p.input = extract.Input{Body: body[:min(int64(len(body)), d.limit)], ContentType: resp.ContentType, Name: path.Base(u.Path())}
	return p, u, nil
}

func (x *extraction) website(ctx context.Context, t target) error {
	if err := x.net.open(); err != nil {
		return err
	}
	p, err := x.net.get(ctx, t.url)
	if err != nil {
		return x.unreadable(urinorm.Redact(t.raw), err)
	}
	if p.truncated != "" {
		x.note("%s: %s", p.url.Printed(), p.truncated)
	}
	base := x.base
	if base.IsZero() {
		base = p.url
	}
	if media, ok := x.types.Set(p.input.Name); ok {
		p.input.ContentType = media
	}
	return x.read(p.input, p.url.Printed(), base, named, extract.FromHeaders(p.header)...)
}
