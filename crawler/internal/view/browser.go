package view

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/buffers"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/render"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Browser renders the pages of a run. It is nil for a run that renders none.
type Browser struct {
	Settings

	mu    sync.Mutex
	ended bool              // the browser died too often, which was noted
	views map[string]*views // by document
}

// Settings are what a Browser needs of a run.
type Settings struct {
	Renderer Renderer // nil if there is none, because of Trouble
	Trouble  string
	Door     *admit.Door
	Print    *scope.Printer
	Memory   *recall.Memory // what earlier runs observed; nil without a cache
	Buffers  *buffers.Pool
	MaxBody  int64         // of a file, in bytes
	Input    extract.Input // for what scripts have made, without its body
}

// Renderer renders pages. *render.Renderer is one.
type Renderer interface {
	Open(ctx context.Context, req *render.Request) (*render.Tab, error)
}

// New returns a Browser.
func New(s Settings) *Browser { return &Browser{Settings: s, views: map[string]*views{}} }

// noteEnd returns the note that no more pages are rendered, once.
func (b *Browser) noteEnd() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return ""
	}
	b.ended = true
	return "the browser died three times in a row; no more pages are rendered, and what depends on that is unverified"
}

// load lets the browser load a page, whose answer is known, and answers what else it asks.
func (b *Browser) load(ctx context.Context, req *render.Request, own render.Reply, op *Opened) error {
	tab, err := b.Renderer.Open(ctx, req)
	if err != nil {
		return err
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	defer tab.Close()
	var mu sync.Mutex // protects op
	for {
		ask, err := tab.Next(ctx)
		switch {
		case ask == nil:
			if err == nil {
				op.Shown = tab.Page()
			}
			return err
		case ask.Type == render.Page:
			tab.Reply(ask, own)
			continue
		}
		answering.Go(func() {
			reply, requests, lost := b.Answer(ask.Context(), ask)
			mu.Lock()
			op.requests += requests
			op.loads.add(ask, &reply, lost)
			mu.Unlock()
			tab.Reply(ask, reply)
		})
	}
}

// Answer answers a request of the browser, as far as the configuration allows it to be sent, and
// returns how many requests were sent. lost is set if the request was allowed and has no answer.
func (b *Browser) Answer(ctx context.Context, asked *render.Ask) (reply render.Reply, requests int, lost bool) {
	refused := render.Reply{Refused: true}
	u, ok := b.requested(asked.URL)
	if !ok {
		return refused, 0, false
	}
	what := admit.Subresource
	if asked.Type == render.Frame || asked.Type == render.Navigation {
		what = admit.Document
	}
	by, err := b.Door.Decide(ctx, admit.Ask{URL: u, For: what})
	if err != nil || !by.Admitted() { // a store that fails reports that to the workers, too
		return refused, by.Requests, false
	}
	if b.Door.Scope().Sites.Of(u) != nil {
		return b.file(ctx, by, u), 0, false
	}
	internal, _ := b.Door.Scope().Internal(scope.HrefOf(u))
	req, _ := b.Door.Request(u, internal)
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
	a := b.Door.Library.Ask(ctx, by, req, asked.Type == render.Stream)
	requests = by.Requests + a.Requests
	if !a.OK {
		return render.Reply{Refused: true, Waited: a.Waited}, requests, true
	}
	return render.Reply{Status: a.Status, Header: a.Header, Body: a.Body, Waited: a.Waited}, requests, false
}

// requested returns the URL to which a request of the browser goes: what a page loads is remapped as its
// links are. It returns false if there is none.
func (b *Browser) requested(raw string) (u urinorm.URL, ok bool) {
	u, _, err := urinorm.ParseWeb(raw)
	if err != nil {
		return u, false
	}
	if to, by, err := b.Door.Scope().Rules.Remapped(b.Print, b.Print.URL(u)); by > 0 {
		return to, err == nil
	}
	return u, true
}

// file answers a request from a directory.
func (b *Browser) file(ctx context.Context, by admit.Decision, u urinorm.URL) render.Reply {
	resp, err := b.Door.Send(ctx, by, &fetch.Request{URL: u, Need: fetch.Content, Internal: true})
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
		data, err := b.Buffers.Read(resp.Body, resp.Size, b.MaxBody+1, true)
		if err != nil || int64(len(data)) > b.MaxBody {
			return render.Reply{Refused: true}
		}
		reply.Body = slices.Clone(data)
		b.Buffers.Give(data)
	}
	return reply
}

// Unchanged reports whether the browser need not see a document again that has not changed: no page
// loads it, and if it was to be rendered, nothing has changed that it loads. requests is how many were
// sent to learn that.
func (b *Browser) Unchanged(ctx context.Context, t *admit.Target, p *recall.Page) (unchanged bool, requests int) {
	switch {
	case p.Format != "html":
		return false, 0
	case !p.Rendered:
		return !t.Render && b.Door.Scope().RenderModeOf(b.Print.URL(t.At)) != scope.RenderAlways, 0
	}
	for i := range p.Loaded {
		same, sent := b.unchanged(ctx, &p.Loaded[i])
		requests += sent
		if !same {
			return false, requests
		}
	}
	return true, requests
}

// unchanged reports whether a file is as it was, and how many requests were sent to learn that.
func (b *Browser) unchanged(ctx context.Context, l *recall.Loaded) (unchanged bool, requests int) {
	u, ok := b.requested(l.URL)
	if !ok {
		return false, 0
	}
	by, err := b.Door.Decide(ctx, admit.Ask{URL: u, For: admit.Unchanged})
	if err != nil || !by.Admitted() {
		return false, by.Requests
	}
	internal, _ := b.Door.Scope().Internal(scope.HrefOf(u))
	req, _ := b.Door.Request(u, internal)
	req.Header = req.Header.Clone()
	l.Validators.AddTo(&req.Header)
	unchanged, requests = b.Door.Library.Unchanged(ctx, by, req, l.Validators)
	return unchanged, requests + by.Requests
}

// Opened is what the browser made of a page.
type Opened struct {
	Shown    *render.Rendered
	doc      extract.Document // of the page's HTML
	requests int              // that were sent for it
	loads    loads
}

// views are what is known of the views of a document.
type views struct {
	once sync.Once
	made *Opened // the made-up view
	name string  // of that
	err  error

	mu    sync.Mutex
	known map[string]*view // by route, of docsify
}

// view is what is known of one view.
type view struct {
	once    sync.Once
	anchors []uint64
	judged  judging.Facts // Code and Message
}

// viewsOf returns what is known of the views of a document.
func (b *Browser) viewsOf(document string) *views {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.views[document]
	if w == nil {
		w = &views{known: map[string]*view{}}
		b.views[document] = w
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

// HasViews reports whether views of a document were read.
func (b *Browser) HasViews(document urinorm.URL) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.views[document.WithoutFragment().String()] != nil
}
