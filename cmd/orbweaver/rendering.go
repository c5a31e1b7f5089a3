package main

import (
	"cmp"
	"context"
	"os"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/render"
)

// openRenderer starts the browser if pages are to be rendered, and makes it render the
// pages of a run. The caller calls close after the run. Its errors are usage errors.
func openRenderer(ctx context.Context, o *options, cfg *crawler.Config, console *console) (close func(), err error) {
	close = func() {}
	if !cfg.Renders() {
		return close, nil
	}
	path, err := render.Find(o.render.browser)
	if err != nil {
		return close, o.withoutBrowser(cfg, console, err)
	}
	options := o.render.Options
	options.Path, options.UserAgent = path, cmp.Or(o.net.UserAgent, fetch.DefaultUserAgent(version()))
	if options.Sandbox, err = render.Sandboxed(o.render.sandbox); err != nil {
		return close, usageError("--render-sandbox: %w", err)
	}
	if !options.Sandbox && o.render.sandbox == "auto" && o.verbose {
		console.notef("the browser runs without its sandbox, which does not work for root")
	}
	renderer := render.New(options)
	if err := renderer.Start(ctx); err != nil {
		_ = renderer.Close()
		return close, o.withoutBrowser(cfg, console, err)
	}
	if err := renderer.ValidSelector(ctx); err != nil {
		_ = renderer.Close()
		return close, usageError("--render-wait: %w", err)
	}
	if cfg.RenderedBy, err = renderer.Describe(ctx); err != nil {
		_ = renderer.Close()
		return close, err
	}
	cfg.Renderer = renderer
	return func() {
		if err := renderer.Close(); err != nil {
			console.notef("%v", err)
		}
	}, nil
}

// withoutBrowser decides about a run without a browser, because of an error.
func (o *options) withoutBrowser(cfg *crawler.Config, console *console, err error) error {
	always := cfg.Render == crawler.RenderAlways
	for i := range cfg.Rules {
		always = always || cfg.Rules[i].Render == crawler.RenderAlways
	}
	if named := cmp.Or(o.render.browser, os.Getenv("CHROME")) != ""; always || named {
		return usageError("%w", err)
	}
	console.notef("%v; pages are not rendered, and what depends on that is unverified", err)
	cfg.RenderTrouble = "there is no browser"
	return nil
}
