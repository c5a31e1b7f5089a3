package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/render"
	"github.com/orbweaver/orbweaver/crawler/session"
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
	renderer, err := startBrowser(ctx, o, path)
	if exit := (*exitError)(nil); errors.As(err, &exit) {
		return close, err
	} else if err != nil {
		return close, o.withoutBrowser(cfg, console, err)
	}
	if o.verbose && o.render.sandbox == "auto" && render.IsRoot() {
		console.notef("the browser runs without its sandbox, which does not work for root")
	}
	if err := renderer.ValidSelector(ctx); err != nil {
		_ = renderer.Close()
		return close, usageError("--render-wait: %w", err)
	}
	if cfg.Render.By, err = renderer.Describe(ctx); err != nil {
		_ = renderer.Close()
		return close, err
	}
	cfg.Render.Renderer = renderer
	return func() {
		if err := renderer.Close(); err != nil {
			console.notef("%v", err)
		}
	}, nil
}

// startBrowser starts a browser. The error is a usage error if the sandbox does not work.
func startBrowser(ctx context.Context, o *options, path string) (*render.Renderer, error) {
	options := o.render.Options
	options.Path, options.UserAgent = path, cmp.Or(o.net.UserAgent, fetch.DefaultUserAgent(version()))
	var err error
	if options.Sandbox, err = render.Sandboxed(o.render.sandbox); err != nil {
		return nil, usageError("--render-sandbox: %w", err)
	}
	renderer := render.New(options)
	if err := renderer.Start(ctx); err != nil {
		_ = renderer.Close()
		return nil, err
	}
	return renderer, nil
}

// openLoginBrowser returns the browser of --login-render, nil without it: that which renders
// pages if there is one. Its errors are usage errors.
func openLoginBrowser(ctx context.Context, o *options, pages crawler.Renderer) (browser *render.Renderer, close func(), err error) {
	close = func() {}
	if !slices.ContainsFunc(o.login.configs, func(c session.Config) bool { return c.Rendered }) {
		return nil, close, nil
	}
	if renderer, ok := pages.(*render.Renderer); ok {
		return renderer, close, nil
	}
	path, err := render.Find(o.render.browser)
	if err != nil {
		return nil, close, usageError("--login-render: %w", err)
	}
	renderer, err := startBrowser(ctx, o, path)
	if err != nil {
		return nil, close, usageError("--login-render: %w", err)
	}
	return renderer, func() { _ = renderer.Close() }, nil
}

// withoutBrowser decides about a run without a browser, because of an error.
func (o *options) withoutBrowser(cfg *crawler.Config, console *console, err error) error {
	always := cfg.Render.Mode == crawler.RenderAlways
	for i := range cfg.Judging.Rules {
		always = always || cfg.Judging.Rules[i].Render == crawler.RenderAlways
	}
	if !errors.Is(err, render.ErrNoBrowser) {
		err = fmt.Errorf("%w; is the browser complete (on Debian the package chromium)?", err)
	}
	if named := cmp.Or(o.render.browser, os.Getenv("CHROME")) != ""; always || named {
		return usageError("%w", err)
	}
	console.notef("%v; pages are not rendered, and what depends on that is unverified", err)
	cfg.Render.Trouble = "there is no browser"
	return nil
}
