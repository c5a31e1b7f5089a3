package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// tab is a page that is being rendered, in a browser context of its own: nothing of it
// reaches another page.
type tab struct {
	page    session
	process *process
	options *Options
	req     *Request
	asks    asks
	signIn  bool // all requests are passed on
	target  target.ID
	asking  sync.WaitGroup
	ctx     context.Context // ends with the rendering
	moved   chan struct{}   // receives when something changed

	attached chan session // receives the session of the page

	mu       sync.Mutex
	owned    bool // it has a session
	over     bool // the rendering is over
	sessions []target.SessionID
	progress progress
	requests requests
	frames   frames
	workers  map[string]bool  // URLs of the scripts that workers run
	errors   map[int64]string // uncaught, by number
}

// Errors of a page that cannot be rendered.
var (
	errCrashed = fmt.Errorf("the page made its process in the browser crash, or needs more than %d MiB of memory", maxMemory>>20)
	errEndless = errors.New("the scripts of the page could not be ended")
)

// watch is run in each document, where the page's scripts do not see it. It tells when an
// element is added or removed, or when an attribute that may hold a reference changes. Changes
// in frames do not matter.
const watch = `if (self === top) (() => {
	let last = -1e9
	const tell = () => { const now = performance.now(); if (now - last > 40) { last = now; orbweaverChanged("") } }
	new MutationObserver((all) => {
		for (const m of all) {
			if (m.type === "attributes") return tell()
			for (const n of m.addedNodes) if (n.nodeType === 1) return tell()
			for (const n of m.removedNodes) if (n.nodeType === 1) return tell()
		}
	}).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ["href", "src", "srcset", "id", "name", "data", "action", "poster", "content"]})
})()`

// bypass keeps pages from registering service workers, which would answer requests of
// other pages. Its promise stays open, as while a registration takes long.
const bypass = `if (self.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = function register() { return new Promise(() => {}) }`

// world is the name of the isolated world that watch runs in.
const world = "orbweaver"

// render renders a page in a new tab.
func (p *process) render(ctx context.Context, o *Options, req *Request, asks asks) (rendered *Rendered, err error) {
	err = p.open(ctx, &tab{options: o, req: req, asks: asks}, func(t *tab) error {
		unsettled, err := t.settle()
		if err != nil {
			return err
		}
		if rendered, err = t.read(unsettled); unsettled == "" && errors.Is(err, errEndless) {
			rendered, err = t.read("a script did not end while the page was read")
		}
		return err
	})
	return rendered, err
}

// open opens a page in a new tab, and closes it when it was used.
func (p *process) open(ctx context.Context, t *tab, use func(*tab) error) error {
	return p.blank(ctx, t, func() error {
		if err := t.prepare(); err != nil {
			return err
		}
		if err := t.navigate(); err != nil {
			return err
		}
		return use(t)
	})
}

// blank opens a tab without a page, and closes it when it was used.
func (p *process) blank(ctx context.Context, t *tab, use func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	t.process, t.ctx, t.attached, t.moved = p, ctx, make(chan session, 1), make(chan struct{}, 1)
	t.requests = requests{leaving: map[cdp.FrameID]page.ClientNavigationReason{}, asked: map[string]Asked{}, first: map[fetch.RequestID]string{}}
	t.frames, t.workers, t.errors = newFrames(), map[string]bool{}, map[int64]string{}
	defer t.asking.Wait()
	defer t.end()
	defer cancel()
	own, err := call(ctx, p.root(), target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: yes()})
	if err != nil {
		return err
	}
	defer func() {
		_, _ = call(context.WithoutCancel(ctx), p.root(), target.DisposeBrowserContext, target.DisposeBrowserContextParams(own))
		p.forget(t)
	}()
	if _, err = call(ctx, p.root(), browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: own.BrowserContextID}); err != nil {
		return err
	}
	p.expect(own.BrowserContextID, t)
	made, err := call(ctx, p.root(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank", BrowserContextID: own.BrowserContextID})
	if err != nil {
		return err
	}
	t.target = made.TargetID
	select {
	case t.page = <-t.attached:
		return use()
	case <-p.lost:
		return errLost
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(callTimeout):
		return errors.New("the browser opened no tab")
	}
}

func yes() *bool {
	v := true
	return &v
}

// prepare sets the tab up: who answers, what it sees, and what it must not do.
func (t *tab) prepare() error {
	ctx, s := t.ctx, t.page
	var errs []error
	add := func(_ any, err error) { errs = append(errs, err) }
	add(call(ctx, s, fetch.Enable, fetch.EnableParams{}))
	add(call(ctx, s, network.Enable, network.EnableParams{}))
	add(call(ctx, s, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true}))
	add(call(ctx, s, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}))
	add(call(ctx, s, page.Enable, page.EnableParams{}))
	add(call(ctx, s, inspector.Enable, cdp.Empty{}))
	add(call(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: "orbweaverChanged", ExecutionContextName: world}))
	add(call(ctx, s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch, WorldName: world}))
	add(call(ctx, s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: bypass}))
	add(call(ctx, s, runtime.Enable, cdp.Empty{}))
	add(call(ctx, s, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 12000, DeviceScaleFactor: 1}))
	add(call(ctx, s, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}, {Name: "prefers-color-scheme", Value: "light"}}}))
	add(call(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: yes()}))
	add(call(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{}))
	return errors.Join(errs...)
}

// navigate opens the page.
func (t *tab) navigate() error {
	began := time.Now()
	t.touch()
	res, err := call(t.ctx, t.page, page.Navigate, page.NavigateParams{URL: t.req.URL})
	now := t.now()
	switch {
	case now.failed != nil:
		return now.failed
	case errors.Is(err, context.DeadlineExceeded) && time.Since(began) >= callTimeout:
		return errors.New("the browser did not open the page")
	case err != nil:
		return err
	case res.ErrorText != "" && now.leads == "":
		return fmt.Errorf("the browser did not open the page: %s", res.ErrorText)
	}
	return nil
}

// onEvent takes an event of the tab, or of a worker of it.
func (t *tab) onEvent(s session, m *cdproto.Message) {
	switch string(m.Method) {
	case fetch.RequestPaused.Method:
		if e, ok := event[fetch.EventRequestPaused](m); ok {
			t.ask(s, e)
		}
	case page.FrameRequestedNavigation.Method:
		if e, ok := event[page.EventFrameRequestedNavigation](m); ok {
			t.mu.Lock()
			t.requests.leaving[e.FrameID] = e.Reason
			t.mu.Unlock()
		}
	case page.LoadEventFired.Method:
		t.load()
	case page.FrameStoppedLoading.Method: // without a load event, if the page was about to leave
		if e, ok := event[page.EventFrameStoppedLoading](m); ok && string(e.FrameID) == string(t.target) {
			t.load()
		}
	case runtime.BindingCalled.Method:
		t.touch()
	case page.JavascriptDialogOpening.Method:
		t.do(func() {
			_, _ = call(t.ctx, s, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		})
	case runtime.ExceptionThrown.Method:
		if e, ok := event[runtime.EventExceptionThrown](m); ok && e.ExceptionDetails != nil {
			t.mu.Lock()
			if len(t.errors) < maxErrors && !t.frames.isApart(t.frames.context[e.ExceptionDetails.ExecutionContextID]) {
				t.errors[e.ExceptionDetails.ExceptionID] = describe(e.ExceptionDetails)
			}
			t.mu.Unlock()
		}
	case page.FrameAttached.Method:
		if e, ok := event[page.EventFrameAttached](m); ok {
			t.mu.Lock()
			t.frames.parents[e.FrameID] = e.ParentFrameID
			t.mu.Unlock()
		}
	case runtime.ExecutionContextCreated.Method:
		if e, ok := event[runtime.EventExecutionContextCreated](m); ok {
			t.mu.Lock()
			t.frames.create(e.Context)
			t.mu.Unlock()
		}
	case runtime.ExceptionRevoked.Method:
		if e, ok := event[runtime.EventExceptionRevoked](m); ok {
			t.mu.Lock()
			delete(t.errors, e.ExceptionID)
			t.mu.Unlock()
		}
	case inspector.TargetCrashed.Method:
		t.fail(errCrashed)
	case target.AttachedToTarget.Method:
		if e, ok := event[target.EventAttachedToTarget](m); ok {
			t.admit(session{s.conn, e.SessionID}, e.TargetInfo)
		}
	}
}

// maxErrors is how many errors of scripts are kept for a page.
const maxErrors = 100

// admit lets a worker of the page run. Its requests are answered like those of the page, which is
// not quiet before the worker has begun.
func (t *tab) admit(s session, info *target.Info) {
	worker := strings.HasSuffix(info.Type, "worker")
	if worker {
		t.mu.Lock()
		t.workers[info.URL] = !t.frames.isApart(info.ParentFrameID)
		t.progress.pending++
		t.mu.Unlock()
	}
	t.listen(s)
	t.do(func() {
		_, _ = call(t.ctx, s, fetch.Enable, fetch.EnableParams{})
		_, _ = call(t.ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: yes()})
		_, _ = call(t.ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{})
		if worker {
			const patience = 2 * time.Second // its script may not end
			ctx, cancel := context.WithTimeout(t.ctx, patience)
			_, _ = call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
			cancel()
			t.mu.Lock()
			t.progress.pending--
			t.mu.Unlock()
			t.touch()
		}
	})
}

// describe returns the message about an uncaught error: its text and its place.
func describe(d *runtime.ExceptionDetails) string {
	text := strings.TrimPrefix(strings.TrimPrefix(d.Text, "Uncaught "), "(in promise) ")
	if text == "Uncaught" || text == "(in promise)" {
		text = ""
	}
	if e := d.Exception; e != nil {
		if e.Description != "" {
			text, _, _ = strings.Cut(e.Description, "\n")
		} else if len(e.Value) > 0 {
			text = strings.TrimSpace(strings.Trim(string(e.Value), `"`))
		}
	}
	if text == "" {
		text = "an uncaught error"
	}
	url, line := d.URL, d.LineNumber
	if d.StackTrace != nil && len(d.StackTrace.CallFrames) > 0 {
		if f := d.StackTrace.CallFrames[0]; f.URL != "" {
			url, line = f.URL, f.LineNumber
		}
	}
	const longest = 300
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return fmt.Sprintf("%s (%s:%d)", text, url, line+1)
}

// load notes that the page has loaded.
func (t *tab) load() {
	t.mu.Lock()
	if t.progress.loaded.IsZero() && t.progress.begun {
		t.progress.loaded = time.Now()
	}
	t.mu.Unlock()
	t.touch()
}

// touch notes that something happened.
func (t *tab) touch() {
	t.mu.Lock()
	t.progress.active = time.Now()
	t.mu.Unlock()
	t.wake()
}

func (t *tab) wake() {
	select {
	case t.moved <- struct{}{}:
	default:
	}
}

// fail ends the rendering with an error. The first one counts.
func (t *tab) fail(err error) {
	t.mu.Lock()
	if t.progress.failed == nil {
		t.progress.failed = err
	}
	t.mu.Unlock()
	t.wake()
}

// now returns how far the page is.
func (t *tab) now() progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.progress
}

// types are the types of requests by those of the browser.
var types = map[network.ResourceType]Type{
	network.ResourceTypeXHR: Data, network.ResourceTypeFetch: Data, network.ResourceTypeEventSource: Stream,
	network.ResourceTypeScript: Script, network.ResourceTypeStylesheet: Style, network.ResourceTypeImage: Image,
	network.ResourceTypeDocument: Frame,
}

// ask lets the caller answer a request of the browser.
func (t *tab) ask(s session, e *fetch.EventRequestPaused) {
	url, _, _ := strings.Cut(e.Request.URL, "#")
	kind, known := types[e.ResourceType]
	switch accept, _ := e.Request.Headers["Accept"].(string); {
	case !known:
		kind = Other
	case kind == Data && accept == "text/event-stream":
		kind = Stream
	}
	t.mu.Lock()
	reason := t.requests.leaving[e.FrameID]
	apart := t.frames.isApart(e.FrameID)
	switch {
	case kind == Frame && string(e.FrameID) != string(t.target):
		t.frames.navigate(e.FrameID, url)
	case kind == Frame && t.progress.begun:
		if kind = Navigation; t.signIn {
			t.progress.loaded = time.Time{}
		}
	case kind == Frame:
		kind, t.progress.begun = Page, true
	}
	if !apart {
		t.progress.pending++
		t.progress.active = time.Now()
	}
	t.mu.Unlock()
	t.do(func() {
		t.answer(s, e, url, kind, reason)
		if apart {
			return
		}
		t.mu.Lock()
		t.progress.pending--
		t.progress.active = time.Now()
		t.mu.Unlock()
		t.wake()
	})
}

// answer answers a request of the browser, or refuses it.
func (t *tab) answer(s session, e *fetch.EventRequestPaused, url string, kind Type, reason page.ClientNavigationReason) {
	switch {
	case e.Request.Method == http.MethodOptions && e.Request.Headers["Access-Control-Request-Method"] != nil:
		t.allow(s, e)
		return
	case kind == Other && isFavicon(url, e):
		refuse(t.ctx, s, e.RequestID, kind)
		return
	case e.Request.Method != http.MethodGet && !t.signIn:
		t.mu.Lock()
		t.requests.refused = true
		t.mu.Unlock()
		refuse(t.ctx, s, e.RequestID, kind)
		return
	case !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://"):
		if strings.HasPrefix(url, "data:") || strings.HasPrefix(url, "blob:") || strings.HasPrefix(url, "about:") {
			_, _ = call(t.ctx, s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
			return
		}
		refuse(t.ctx, s, e.RequestID, kind)
		return
	}
	switch {
	case t.signIn:
		forward(t, s, e, kind)
		return
	case kind == Navigation:
		t.leave(s, e, url, reason)
		return
	}
	reply := t.get(e, url, kind)
	if reply.Refused {
		refuse(t.ctx, s, e.RequestID, kind)
		return
	}
	if kind == Stream {
		reply.Body = nil
		if reply.Status == http.StatusOK {
			reply.Status = http.StatusNoContent // the browser would ask again, for ever
		}
	}
	fulfill(t.ctx, s, e.RequestID, &reply)
}

// isFavicon reports whether a request is the browser's own: for the icon of a page that
// names none.
func isFavicon(url string, e *fetch.EventRequestPaused) bool {
	accept, _ := e.Request.Headers["Accept"].(string)
	return strings.HasSuffix(url, "/favicon.ico") && strings.Count(url, "/") == 3 && strings.HasPrefix(accept, "image/")
}

// get asks the caller for the answer to a request, and notes the request.
func (t *tab) get(e *fetch.EventRequestPaused, url string, kind Type) Reply {
	ask := &Ask{URL: url, Type: kind, Header: http.Header{}}
	for name, value := range e.Request.Headers {
		text, ok := value.(string)
		switch name = textproto.CanonicalMIMEHeaderKey(name); {
		case !ok:
		case name == "Referer":
			ask.Referrer = text
		case name == "Accept" || strings.HasPrefix(name, "X-") && !strings.HasPrefix(name, "X-Client-"):
			ask.Header.Set(name, text)
		}
	}
	t.mu.Lock()
	first := t.requests.begin(e, url, kind, t.frames.isApart(e.FrameID))
	t.mu.Unlock()
	reply := t.asks.ask(t.ctx, ask)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.progress.waited += reply.Waited
	t.requests.end(first, &reply)
	return reply
}

// leave decides about a navigation of the page itself. One of a script ends the rendering
// with its destination, unless it is a download or leads to the same document. Others are
// not made: a refresh of the page is a link of its own.
func (t *tab) leave(s session, e *fetch.EventRequestPaused, url string, reason page.ClientNavigationReason) {
	own, _, _ := strings.Cut(t.req.URL, "#")
	if reason != page.ClientNavigationReasonMetaTagRefresh && reason != page.ClientNavigationReasonHTTPHeaderRefresh && url != own {
		if reply := t.get(e, url, Navigation); !isDownload(&reply) {
			t.mu.Lock()
			t.progress.leads = cmp.Or(t.progress.leads, url+e.Request.URLFragment)
			t.mu.Unlock()
		}
	}
	refuse(t.ctx, s, e.RequestID, Navigation)
}

// isDownload reports whether an answer is saved to a file rather than shown.
func isDownload(r *Reply) bool {
	if r.Refused || r.Status/100 != 2 {
		return false
	}
	if disposition, _, err := mime.ParseMediaType(r.Header.Get("Content-Disposition")); err == nil && disposition == "attachment" {
		return true
	}
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case mediaType == "", strings.HasPrefix(mediaType, "text/"), strings.HasPrefix(mediaType, "image/"), strings.HasPrefix(mediaType, "video/"),
		strings.HasPrefix(mediaType, "audio/"), strings.HasSuffix(mediaType, "xml"), strings.HasSuffix(mediaType, "json"), mediaType == "application/pdf":
		return false
	}
	return true
}

// refuse lets a request fail. The document stays when a navigation is refused.
func refuse(ctx context.Context, s session, id fetch.RequestID, kind Type) {
	why := network.ErrorReasonBlockedByClient
	if kind == Navigation {
		why = network.ErrorReasonAborted
	}
	_, _ = call(ctx, s, fetch.FailRequest, fetch.FailRequestParams{RequestID: id, ErrorReason: why})
}

// allow answers the question whether a script may ask another site. The answer to its
// request decides whether the script may read it.
func (t *tab) allow(s session, e *fetch.EventRequestPaused) {
	text := func(name string) string {
		value, _ := e.Request.Headers[name].(string)
		return value
	}
	h := http.Header{}
	h.Set("Access-Control-Allow-Origin", cmp.Or(text("Origin"), "*"))
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Allow-Methods", text("Access-Control-Request-Method"))
	h.Set("Access-Control-Allow-Headers", text("Access-Control-Request-Headers"))
	fulfill(t.ctx, s, e.RequestID, &Reply{Status: http.StatusNoContent, Header: h})
}

// hidden are the header fields that the browser does not get: the body is decoded already,
// cookies are not for scripts, and no other connection may be used.
var hidden = map[string]bool{"Content-Encoding": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Keep-Alive": true,
	"Set-Cookie": true, "Strict-Transport-Security": true, "Alt-Svc": true, "Clear-Site-Data": true, "Nel": true, "Report-To": true,
	"Reporting-Endpoints": true, "Service-Worker-Allowed": true, "Www-Authenticate": true}

// fulfill passes an answer to the browser.
func fulfill(ctx context.Context, s session, id fetch.RequestID, r *Reply) {
	p := fetch.FulfillRequestParams{RequestID: id, ResponseCode: int64(r.Status), Body: r.Body}
	if p.ResponseCode < 100 || p.ResponseCode > 599 {
		p.ResponseCode = http.StatusOK // a file has no status
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if hidden[name] && !(r.cookies && name == "Set-Cookie") {
			continue
		}
		for _, value := range r.Header[name] {
			p.ResponseHeaders = append(p.ResponseHeaders, &fetch.HeaderEntry{Name: name, Value: strings.ToValidUTF8(value, "")})
		}
	}
	_, _ = call(ctx, s, fetch.FulfillRequest, p)
}

// expect passes the events of targets in a browser context to a tab.
func (p *process) expect(own cdp.BrowserContextID, t *tab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.contexts[own] = t
}

// forget ends that.
func (p *process) forget(t *tab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.contexts, func(_ cdp.BrowserContextID, other *tab) bool { return other == t })
}

// onEvent takes an event of the browser: a target that was opened. The first page of a
// context is that of its tab, and another one is a window that its scripts have opened.
func (p *process) onEvent(_ session, m *cdproto.Message) {
	e, ok := event[target.EventAttachedToTarget](m)
	if string(m.Method) != target.AttachedToTarget.Method || !ok {
		return
	}
	s, info := session{p.conn, e.SessionID}, e.TargetInfo
	p.mu.Lock()
	t := p.contexts[info.BrowserContextID]
	p.mu.Unlock()
	switch {
	case t != nil && info.Type == "page" && t.adopt(s):
	case info.Type == "page":
		go p.dismiss(s, info.TargetID)
	case t != nil:
		t.admit(s, info)
	default:
		go func() { _, _ = call(context.Background(), s, runtime.RunIfWaitingForDebugger, cdp.Empty{}) }()
	}
}

// adopt makes a session that of the tab, unless it has one.
func (t *tab) adopt(s session) bool {
	t.mu.Lock()
	had := t.owned
	t.owned = true
	t.mu.Unlock()
	if had {
		return false
	}
	t.listen(s)
	t.attached <- s
	return true
}

// listen takes the events of a session until the rendering is over.
func (t *tab) listen(s session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.sessions = append(t.sessions, s.id)
		s.listen(t)
	}
}

// do does something that takes time, unless the rendering is over.
func (t *tab) do(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.asking.Go(f)
	}
}

// end ends the rendering: no event is taken any more.
func (t *tab) end() {
	t.mu.Lock()
	t.over = true
	ids := t.sessions
	t.mu.Unlock()
	for _, id := range ids {
		session{t.process.conn, id}.ignore()
	}
}

// dismiss closes a window without letting it request anything. It must run for that, as it
// may share a process with the page that has opened it.
func (p *process) dismiss(s session, id target.ID) {
	ctx := context.Background()
	s.listen(refusal{})
	defer s.ignore()
	_, _ = call(ctx, s, fetch.Enable, fetch.EnableParams{})
	_, _ = call(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	_, _ = call(ctx, p.root(), target.CloseTarget, target.CloseTargetParams{TargetID: id})
}

// refusal refuses all that a session requests.
type refusal struct{}

func (refusal) onEvent(s session, m *cdproto.Message) {
	if e, ok := event[fetch.EventRequestPaused](m); ok && string(m.Method) == fetch.RequestPaused.Method {
		go func() {
			_, _ = call(context.Background(), s, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted})
		}()
	}
}
