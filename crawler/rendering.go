package crawler

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/render"
	"github.com/orbweaver/orbweaver/urinorm"
)

// rendering is what a run needs to render pages in a browser. It is nil for a run that
// renders none.
//
// The answer to a page's own request comes first and counts. The browser gets the same
// answer, and the links, anchors and requests that its scripts add become part of the page
// in the step that settles it. So a page that is settled is not rendered again, and all
// that follows does not tell a rendered page from another one.
type rendering struct {
	cfg      *Config
	print    *scope.Printer
	frontier *frontier.Frontier
	door     *admit.Door
	seeds    *seedTargets
	buffers  *fetch.Buffers
	note     func(string)

	mu    sync.Mutex
	ended bool              // the browser died too often, which was noted
	views map[string]*views // by document
}

// newRendering returns what is needed to render pages, nil if none is rendered. The caller
// sets seeds, buffers and note.
func newRendering(cfg *Config, print *scope.Printer, f *frontier.Frontier, d *admit.Door) *rendering {
	if !cfg.Renders() {
		return nil
	}
	return &rendering{cfg: cfg, print: print, frontier: f, door: d, views: map[string]*views{}}
}

// close ends what is left.
func (g *rendering) close() {
	if g != nil {
		g.door.Library.Close()
	}
}

// forget deletes the answers for some URLs, which may be of the time after the loss of a
// session.
func (g *rendering) forget(covers func(urinorm.URL) bool) {
	if g != nil {
		g.door.Library.Forget(covers)
	}
}

// knows reports whether a target was settled before.
func (g *rendering) knows(ctx context.Context, id frontier.ID) (bool, error) {
	if g == nil {
		return false, nil
	}
	rec, err := g.cfg.Keep.Store.Get(ctx, id, frontier.PartOutcome)
	return len(rec.Outcome) > 0, err
}

// noteEnd notes once that no more pages are rendered.
func (g *rendering) noteEnd() {
	g.mu.Lock()
	first := !g.ended
	g.ended = true
	g.mu.Unlock()
	if first {
		g.note("the browser died three times in a row; no more pages are rendered, and what depends on that is unverified")
	}
}

// load lets the browser load a page, whose answer is known, and answers what else it asks.
func (g *rendering) load(ctx context.Context, req *render.Request, own render.Reply, op *opened) (*render.Rendered, error) {
	tab, err := g.cfg.Render.Renderer.Open(ctx, req)
	if err != nil {
		return nil, err
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	defer tab.Close()
	var mu sync.Mutex // protects op
	for {
		ask, err := tab.Next(ctx)
		switch {
		case ask == nil:
			return tab.Page(), err
		case ask.Type == render.Page:
			tab.Reply(ask, own)
			continue
		}
		answering.Go(func() {
			reply, requests, lost := g.answer(ask.Context(), ask)
			mu.Lock()
			op.requests += requests
			op.loads.add(ask, &reply, lost)
			mu.Unlock()
			tab.Reply(ask, reply)
		})
	}
}

// answer answers a request of the browser, as far as the configuration allows it to be sent, and
// returns how many requests were sent. lost is set if the request was allowed and has no answer.
func (g *rendering) answer(ctx context.Context, asked *render.Ask) (reply render.Reply, requests int, lost bool) {
	refused := render.Reply{Refused: true}
	u, _, err := urinorm.ParseWeb(asked.URL)
	if err != nil {
		return refused, 0, false
	}
	what := admit.Subresource
	if asked.Type == render.Frame || asked.Type == render.Navigation {
		what = admit.Document
	}
	by, err := g.door.Decide(ctx, admit.Ask{URL: u, For: what})
	if err != nil || !by.Admitted() { // a store that fails reports that to the workers, too
		return refused, by.Requests, false
	}
	if g.door.Scope().SiteOf(u) != nil {
		return g.file(ctx, by, u), 0, false
	}
	internal, _ := g.door.Scope().Internal(scope.HrefOf(u))
	req, _ := g.door.Request(u, internal)
	req.Need = fetch.Content
	req.Referrer = asked.Referrer
	if len(asked.Header) > 0 {
		header := req.Header.Clone()
		if header == nil {
			header = http.Header{}
		}
		for name, values := range asked.Header {
			if header[name] == nil {
				header[name] = values
			}
		}
		req.Header = header
	}
	a := g.door.Library.Ask(ctx, by, req, asked.Type == render.Stream)
	requests = by.Requests + a.Requests
	if !a.OK {
		return render.Reply{Refused: true, Waited: a.Waited}, requests, true
	}
	return render.Reply{Status: a.Status, Header: a.Header, Body: a.Body, Waited: a.Waited}, requests, false
}

// file answers a request from a directory.
func (g *rendering) file(ctx context.Context, by admit.Decision, u urinorm.URL) render.Reply {
	resp, err := g.door.Send(ctx, by, &fetch.Request{URL: u, Need: fetch.Content, Internal: true})
	if err != nil || resp.Fault != nil {
		return render.Reply{Status: http.StatusNotFound, Header: http.Header{"Content-Type": {"text/plain"}}}
	}
	reply := render.Reply{Status: resp.Status, Header: http.Header{}}
	if resp.Location != "" {
		reply.Header.Set("Location", resp.Location)
	}
	if resp.ContentType != "" {
		reply.Header.Set("Content-Type", resp.ContentType)
	}
	if resp.Body != nil {
		defer resp.Body.Close()
		data, err := g.buffers.Read(resp.Body, resp.Size, g.cfg.Limits.MaxBody+1, true)
		if err != nil || int64(len(data)) > g.cfg.Limits.MaxBody {
			return render.Reply{Refused: true}
		}
		reply.Body = slices.Clone(data)
		g.buffers.Give(data)
	}
	return reply
}

// unchanged reports whether a file is as it was, and how many requests were sent to learn
// that.
func (g *rendering) unchanged(ctx context.Context, l *recall.Loaded) (unchanged bool, requests int) {
	u, _, err := urinorm.ParseWeb(l.URL)
	if err != nil {
		return false, 0
	}
	by, err := g.door.Decide(ctx, admit.Ask{URL: u, For: admit.Unchanged})
	if err != nil || !by.Admitted() {
		return false, by.Requests
	}
	internal, _ := g.door.Scope().Internal(scope.HrefOf(u))
	req, _ := g.door.Request(u, internal)
	req.Header = req.Header.Clone()
	l.Validators.AddTo(&req.Header)
	unchanged, requests = g.door.Library.Unchanged(ctx, by, req, l.Validators)
	return unchanged, requests + by.Requests
}

// renderMore queues the pages again that are to be rendered because of a link to them, and reports
// whether there are any. It is called when nothing is queued.
func (g *rendering) renderMore(ctx context.Context) (more bool, err error) {
	if g == nil {
		return false, nil
	}
	items, err := stored.ToRender(ctx, g.cfg.Keep.Store, g.door.Scope(), g.cfg.Limits.MaxRedirects, g.seeds.seeds, g.seeds.ids)
	if err != nil || len(items) == 0 {
		return false, err
	}
	_, err = g.frontier.Refer(ctx, items)
	return err == nil, err
}

// opened is what the browser made of a page.
type opened struct {
	page     *render.Rendered
	doc      extract.Document // of the page's HTML
	requests int              // that were sent for it
	loads    loads
}

// views are what is known of the views of a document.
type views struct {
	once sync.Once
	made *opened // the made-up view
	name string  // of that
	err  error

	mu    sync.Mutex
	known map[string]*view // by route, of docsify
}

// view is what is known of one view.
type view struct {
	once    sync.Once
	anchors []uint64
	judged  check.Facts // Code and Message
}

// viewsOf returns what is known of the views of a document.
func (g *rendering) viewsOf(document string) *views {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.views[document]
	if w == nil {
		w = &views{known: map[string]*view{}}
		g.views[document] = w
	}
	return w
}

// viewOf returns what is known of one view of a document.
func (w *views) viewOf(route string) *view {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.known[route]
	if k == nil {
		k = &view{}
		w.known[route] = k
	}
	return k
}

// hasViews reports whether views of a document were read.
func (g *rendering) hasViews(document urinorm.URL) bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.views[document.WithoutFragment().String()] != nil
}
