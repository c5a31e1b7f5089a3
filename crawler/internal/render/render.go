package render

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options configure a Renderer.
type Options struct {
	Path      string // of the browser, from Find
	UserAgent string // of all requests; navigator.userAgent says the same
	Sandbox   bool   // use the browser's sandbox, which does not work for root
	Tabs      int    // pages that are rendered at the same time; 0 means 2
	// Timeout limits the rendering of a page, from the start of its navigation. What is
	// there when it ends is read. 0 means 10 s.
	Timeout time.Duration
	// Quiet is how long a page must not change or request anything before it is read.
	Quiet time.Duration
	// Wait is a time to wait after the load event before quiet counts, and Selector a CSS
	// selector that must match something before quiet counts.
	Wait     time.Duration
	Selector string
}

// Ask is what a Tab asks of its caller: a GET request of the browser, or in a sign-in, any request
// or the values of a form.
type Ask struct {
	URL      string // without fragment; of a form, that of its document
	Type     Type
	Header   http.Header // set by the script that makes the request
	Referrer string

	Sent     *http.Request // in a sign-in, the whole request; one for a document has the header field Sec-Fetch-Dest
	Document []byte        // of a form: its document as HTML, in which controls have the attribute ControlAttribute

	ctx   context.Context
	reply chan Reply
}

// Context ends when the answer is not needed any more.
func (a *Ask) Context() context.Context { return a.ctx }

// Type is what a request is for.
type Type uint8

const (
	// Page is the document that is rendered.
	Page Type = iota
	// Frame is the document of a frame.
	Frame
	// Navigation is a document that a script navigates to.
	Navigation
	// Data is requested by fetch, XMLHttpRequest or the like.
	Data
	// Stream is the source of an EventSource, which may have no end.
	Stream
	// Script is a script, a module or a worker.
	Script
	// Style is a style sheet.
	Style
	// Image is an image.
	Image
	// Other is any other resource, such as a font.
	Other
	// Form is no request: a form is to be filled in.
	Form
)

// Reply is the answer to an Ask.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	// Refused is set if the request was not made, or has no answer. The request fails in
	// the browser.
	Refused bool
	// Waited is how long the request had to wait for others to the same host. It does not
	// count against the limit of time.
	Waited time.Duration
	// Passed is the whole answer to a request of a sign-in. Scripts may read the cookies that it
	// sets, unless they are HttpOnly.
	Passed *http.Response
	// Values are written into the controls with these numbers, and the button with the number
	// Press is pressed, -1 for the first one. Without values, the sign-in is over.
	Values map[int]string
	Press  int

	cookies bool // scripts may read those that it sets
}

// Request is a page to be rendered.
type Request struct {
	URL  string // with its fragment
	Text bool   // the visible text is needed
}

// Rendered is a page as the scripts have left it.
type Rendered struct {
	// HTML is the document with its shadow roots, in a form in which the attributes of the
	// n-th element are on line n+1. Selectors has a CSS selector for each element.
	HTML      []byte
	selectors *selectors
	// Base is the base URL of the document.
	Base string
	// Text is the visible text, with white space collapsed, if it was asked for.
	Text string
	// Empty is set if there is nothing to read: no text, link, image, canvas, video,
	// drawing or frame.
	Empty  bool
	unseen bool // there is nothing but text, which may be hidden
	// Asked are the GET requests of scripts, in the order of their URLs.
	Asked []Asked
	// Leads is the URL of the document that a script has navigated to, with its fragment, ""
	// for none. Then nothing else but Asked and Errors is set.
	Leads string
	// Errors are the uncaught errors of scripts: "text (URL:line)", each once, sorted.
	Errors []string
	// Unsettled is why the page was read before it was quiet; "" if it was quiet.
	Unsettled string
	// Docsify is set if the page is made by docsify, whose routes may name an anchor.
	Docsify bool
}

// Asked is a GET request that a script made. Its redirects are not requests of their own.
type Asked struct {
	URL    string // that of a navigation with its fragment, others without one
	Type   Type
	Status int // of the last answer; 0 if there was none
}

// Selector returns a CSS selector for the element whose attributes are on a line of HTML.
func (r *Rendered) Selector(line int) string { return r.selectors.of(line - 2) }

// ErrEnded is wrapped by the errors of a Tab when the browser has died three times in a
// row. No more pages are rendered then.
var ErrEnded = errors.New("the browser died three times in a row")

// maxDeaths is how often the browser may die in a row, on different pages.
const maxDeaths = 3

// Renderer renders pages, several at a time, and starts the browser again when it has died.
type Renderer struct {
	options Options
	tabs    chan struct{} // as many as pages may be rendered at the same time

	mu      sync.Mutex
	dir     string
	process *process
	deaths  map[string]bool // pages on which the browser died, since it last rendered one
	closed  bool
}

// New returns a Renderer. It starts nothing.
func New(o Options) *Renderer {
	if o.Tabs <= 0 {
		o.Tabs = 2
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	return &Renderer{options: o, tabs: make(chan struct{}, o.Tabs), deaths: map[string]bool{}}
}

// Start starts the browser. Open does so, too, if that is necessary.
func (r *Renderer) Start(ctx context.Context) error {
	_, err := r.running(ctx)
	return err
}

// Describe returns a text that identifies the browser and the options that decide what is found
// on a page.
func (r *Renderer) Describe(ctx context.Context) (string, error) {
	p, err := r.running(ctx)
	if err != nil {
		return "", err
	}
	o := &r.options
	return fmt.Sprint(p.product, " ", o.UserAgent, " ", o.Timeout, o.Quiet, o.Wait, o.Selector), nil
}

// ValidSelector reports whether the selector of the options is one that the browser can
// parse.
func (r *Renderer) ValidSelector(ctx context.Context) error {
	if r.options.Selector == "" {
		return nil
	}
	p, err := r.running(ctx)
	if err != nil {
		return err
	}
	return p.checkSelector(ctx, r.options.Selector)
}

// Close ends the browser and removes all that it has left. No page is rendered meanwhile.
func (r *Renderer) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.process != nil {
		r.process.stop()
		r.process = nil
	}
	if r.dir == "" {
		return nil
	}
	dir := r.dir
	r.dir = ""
	return removeTempDir(dir)
}

// running returns a browser that runs, which it starts if there is none.
func (r *Renderer) running(ctx context.Context) (*process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return nil, errors.New("render: the renderer is closed")
	case len(r.deaths) >= maxDeaths:
		return nil, ErrEnded
	}
	if p := r.process; p != nil {
		select {
		case <-p.lost:
			p.stop()
			r.process = nil
		default:
			return p, nil
		}
	}
	if r.dir == "" {
		dir, err := makeTempDir()
		if err != nil {
			return nil, fmt.Errorf("make a directory for the browser: %w", err)
		}
		r.dir = dir
	}
	p, err := start(ctx, &r.options, r.dir)
	if err != nil {
		return nil, err
	}
	r.process = p
	return p, nil
}

// Open renders a page in a new tab, as soon as one is free. If that fails, because the page or the
// browser has crashed, it is tried once more. The caller answers what the Tab asks, and closes it.
func (r *Renderer) Open(ctx context.Context, req *Request) (*Tab, error) {
	return r.open(ctx, func(ctx context.Context, asks asks) (rendered *Rendered, err error) {
		for range 2 {
			p, startErr := r.running(ctx)
			if startErr != nil {
				return nil, startErr
			}
			rendered, err = p.render(ctx, &r.options, req, asks)
			r.note(p, req.URL, err)
			if err == nil || ctx.Err() != nil || errors.Is(err, errEndless) { // it would take as long again
				break
			}
		}
		return rendered, err
	})
}

// note counts the pages on which the browser died.
func (r *Renderer) note(p *process, url string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-p.lost:
		if err != nil {
			r.deaths[url] = true
		}
	default:
		if err == nil && len(r.deaths) < maxDeaths {
			clear(r.deaths)
		}
	}
}

// IsRoot reports whether this process belongs to root, for whom no sandbox works.
func IsRoot() bool { return os.Getuid() == 0 }

// Sandboxed decides about the sandbox by the value of --render-sandbox: auto, on or off.
func Sandboxed(value string) (bool, error) {
	switch {
	case value == "off" || value != "on" && IsRoot():
		return false, nil
	case value == "on" && IsRoot():
		return false, errors.New("the sandbox of Chromium does not work for root; run as another user, or use --render-sandbox auto")
	}
	return true, nil
}

// sortedAsked returns requests in the order of their URLs.
func sortedAsked(asked map[string]Asked) []Asked {
	return slices.SortedFunc(maps.Values(asked), func(a, b Asked) int { return strings.Compare(a.URL, b.URL) })
}

// sortedErrors returns each message once, in order, without those that only say that a
// request failed if refused is set: it may have been refused by us.
func sortedErrors(errs map[int64]string, refused bool) []string {
	all := slices.Compact(slices.Sorted(maps.Values(errs)))
	if !refused {
		return all
	}
	return slices.DeleteFunc(all, func(text string) bool {
		return strings.HasPrefix(text, "TypeError: Failed to fetch") || strings.HasPrefix(text, "AxiosError: Network Error") || strings.HasPrefix(text, "Error: Network Error")
	})
}
