// Package render finds and configures the browser, Chromium, that shows pages to a crawl.
//
//	path, err := render.Find("") // the browser
//	if err != nil {
//		return err
//	}
//	renderer := render.New(render.Options{Path: path, Sandbox: true})
//	defer renderer.Close() // nothing is left: no process, no directory
//	cfg.Render.Renderer = renderer // of a crawler.Config
//
// The browser sends no request. Each request of a page is passed to the crawl, which decides
// what is asked, how often, at what pace, and with which secrets. Pages are hostile: see
// package crawler/internal/render, which controls the browser.
package render
