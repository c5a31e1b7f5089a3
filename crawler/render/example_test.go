package render_test

import (
	"errors"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/render"
)

// Find the browser. A crawl takes a Renderer that uses it in Config.Render.
func ExampleFind() {
	_, err := render.Find("/no/such/chromium")
	fmt.Println(err != nil, errors.Is(err, render.ErrNoBrowser)) // it was named, so it must exist
	// Output: true false
}
