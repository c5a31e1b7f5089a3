package render

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/render"
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

// Renderer shows pages in a browser. Only the engine opens pages; the caller closes it.
type Renderer = render.Renderer

// New returns a Renderer. The browser is started with the first page.
func New(o Options) *Renderer { return render.New(render.Options(o)) }

// ErrNoBrowser is the error of [Find] when no browser was named and there is none.
var ErrNoBrowser = render.ErrNoBrowser

// Find returns the path of the browser: the one named, else that of the environment variable
// CHROME, else the first that is found in PATH. An error for one that was named does not wrap
// [ErrNoBrowser].
func Find(named string) (path string, err error) { return render.Find(named) }

// IsRoot reports whether this process belongs to root, for whom no sandbox works.
func IsRoot() bool { return render.IsRoot() }

// Sandboxed decides about the sandbox by a word: auto, on or off.
func Sandboxed(value string) (bool, error) { return render.Sandboxed(value) }
