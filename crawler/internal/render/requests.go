package render

import (
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
)

// progress is how far a page is.
type progress struct {
	begun   bool // the document was requested
	loaded  time.Time
	active  time.Time     // the last request or change of the document
	pending int           // requests without an answer
	waited  time.Duration // which the time limit does not include, see Reply.Waited
	leads   string        // where scripts lead
	failed  error         // it cannot be rendered
}

// requests are those of a page.
type requests struct {
	leaving map[cdp.FrameID]page.ClientNavigationReason // why a frame navigates
	asked   map[string]Asked                            // by scripts
	first   map[fetch.RequestID]string                  // the request that was redirected to this one
	refused bool                                        // one was, by us
}

// maxAsked is how many requests of scripts are noted for a page.
const maxAsked = 1000

// begin notes a request, and returns its URL: that of the first one if it was redirected. apart says
// that it is not one of the page's own scripts.
func (r *requests) begin(e *fetch.EventRequestPaused, url string, kind Type, apart bool) string {
	if e.RedirectedRequestID != "" {
		url = r.first[e.RedirectedRequestID]
		r.first[e.RequestID] = url
		return url
	}
	r.first[e.RequestID] = url
	switch kind {
	case Data, Stream, Script, Navigation, Other:
		if _, known := r.asked[url]; !known && len(r.asked) < maxAsked && !e.Request.IsLinkPreload && !apart {
			a := Asked{URL: url, Type: kind}
			if kind == Navigation {
				a.URL += e.Request.URLFragment
			}
			r.asked[url] = a
		}
	}
	return url
}

// end notes the answer to a request, by the URL that begin has returned.
func (r *requests) end(first string, reply *Reply) {
	r.refused = r.refused || reply.Refused
	if a, known := r.asked[first]; known && (a.Status == 0 || a.Status/100 == 3) {
		a.Status = reply.Status
		r.asked[first] = a
	}
}
