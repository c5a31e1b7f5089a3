package admit

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"io"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A visit sends some requests beside the one for its target. A worker that holds one of the
// slots for computing gives it back before: the network is slower than other workers.

// beside sends a request of a visit beside the one for its target. ok is false if a rule refuses
// it. deciding is the number of requests that were necessary to decide.
func (d *Door) beside(ctx context.Context, t *Target, what Purpose, req *fetch.Request) (resp Response, ok bool, deciding int, err error) {
	by, err := d.Decide(ctx, Ask{URL: req.URL, For: what, Of: t})
	if err != nil || !by.Admitted() {
		return resp, false, by.Requests, err
	}
	resp, err = d.Send(ctx, by, req)
	return resp, true, by.Requests, err
}

// Probe requests a made-up page in the directory of a URL, unless that was done. ready is false
// while another worker requests it.
func (d *Door) Probe(ctx context.Context, t *Target, u urinorm.URL) (ready bool, requests int, err error) {
	dir, extension := probedAs(u)
	mine, ready := d.Probes.begin(dir + extension)
	if mine == nil {
		return ready, 0, nil
	}
	print, requests, err := d.askProbe(ctx, t, dir, extension)
	d.Probes.end(mine, print)
	return true, requests, err
}

// askProbe requests a page that cannot exist from a directory. Only a 2xx answer counts.
func (d *Door) askProbe(ctx context.Context, t *Target, dir, ext string) (print judging.Fingerprint, requests int, err error) {
	// The address is the same in each run, so that its answer can be kept and given again.
	name := sha256.Sum256([]byte("made up for " + dir + ext))
	made, _, err := urinorm.ParseWeb(dir + strings.ToLower(base32.StdEncoding.EncodeToString(name[:])[:26]) + ext)
	if err != nil {
		return print, 0, nil
	}
	resp, ok, deciding, err := d.beside(ctx, t, Probe, contentRequest(d.Scope(), made))
	if err != nil {
		return print, deciding, err
	}
	defer resp.Close()
	if !ok || resp.Fault != nil || resp.Body == nil || resp.Status/100 != 2 {
		return print, deciding + resp.Sent, nil
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxProbeBody)) // as much as there is is enough
	return judging.FingerprintOf(body), deciding + resp.Sent, nil
}

// Twin requests the http URL of a target over https, for the default port only. A 2xx answer
// without a redirect proves that it can be linked to instead: Twin returns a warning, else nil,
// and how many requests were sent for that and to decide about it.
func (d *Door) Twin(ctx context.Context, t *Target) (found *check.Warning, sent, deciding int, err error) {
	u := t.At
	if u.Scheme() != "http" || u.Port() != "" || d.Scope().Sites.Of(u) != nil || d.plain.has(u.Host()) {
		return nil, 0, 0, nil
	}
	twin, _, err := urinorm.ParseWeb("https" + strings.TrimPrefix(u.String(), "http"))
	if err != nil {
		return nil, 0, 0, nil
	}
	resp, ok, deciding, err := d.beside(ctx, t, Twin, &fetch.Request{URL: twin, Internal: t.Internal, Need: fetch.Existence})
	if err != nil {
		return nil, 0, deciding, err
	}
	defer resp.Close()
	switch {
	case !ok:
		return nil, 0, deciding, nil
	case resp.Fault != nil && resp.Fault.Kind == fetch.EvidenceMissing:
		return nil, 0, deciding, nil
	case resp.Fault != nil:
		if o := resp.Observe(judging.Question{}); o.LocalLimit {
			return nil, 0, deciding, nil
		}
		d.plain.add(u.Host())
	case resp.Status/100 == 2:
		found = &check.Warning{Code: judging.CodeInsecureHTTP, Message: "the same address answers over https", Proposal: twin.WithoutUserinfo().Printed()}
	}
	return found, resp.Sent, deciding, nil
}

// HasIcon reports whether the host of a page, or its directory, has the icon that browsers ask
// for if a page names none, and how many requests were sent for that. An icon that must not be
// requested is assumed to exist.
func (d *Door) HasIcon(ctx context.Context, t *Target, page urinorm.URL) (has bool, requests int) {
	u, _, err := urinorm.ParseWeb(page.Scheme() + "://" + page.Authority() + "/favicon.ico")
	if site := d.Scope().Sites.Of(page); site != nil {
		u, err = site.URLOf("favicon.ico")
	}
	if err != nil {
		return false, 0
	}
	req, _ := d.Request(u, true)
	resp, ok, deciding, err := d.beside(ctx, t, Icon, req)
	if err != nil { // a store that fails reports that to the worker, too
		return false, deciding
	}
	defer resp.Close()
	if requests = deciding + resp.Sent; !ok {
		return true, requests
	}
	if resp.Fault != nil && resp.Fault.Kind == fetch.EvidenceMissing {
		return true, requests
	}
	return resp.Fault == nil && (resp.Status == 0 || resp.Status/100 == 2), requests
}
