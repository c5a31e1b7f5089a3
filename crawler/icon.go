package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/urinorm"
)

// hasIcon reports whether the host of a page, or its directory, has the icon that browsers ask
// for if a page names none. An icon that must not be requested is assumed to exist.
func (l *line) hasIcon(ctx context.Context, page urinorm.URL) bool {
	u, _, err := urinorm.ParseWeb(page.Scheme() + "://" + page.Authority() + "/favicon.ico")
	if site := l.door.requests.scope().SiteOf(page); site != nil {
		u, err = site.URLOf("favicon.ico")
	}
	if err != nil {
		return false
	}
	req, _ := l.door.requests.request(u, true)
	resp, err := l.beside(ctx, forIcon, req)
	switch {
	case err != nil:
		if o, _ := faultOutcome(ctx, err); o != nil { // a store that fails reports that to the worker, too
			l.tally.count(countRequests, o.Requests)
		}
		return false
	case resp == nil:
		return true
	}
	l.tally.count(countRequests, resp.Requests-resp.Kept)
	if resp.Body != nil {
		resp.Body.Close()
	}
	return resp.Status == 0 || resp.Status/100 == 2
}
