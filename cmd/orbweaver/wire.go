package main

import (
	"maps"
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// wire returns the configuration of the engine and its web client, which the caller must
// close. It is the only place that connects options with implementations. The inspector may be nil.
func wire(o *options, p *plan, inspector *inspect.Inspector, out *report.Multi, stop <-chan struct{}) (*crawler.Config, *fetch.HTTP, error) {
	web, err := fetch.NewHTTP(o.net)
	if err != nil {
		return nil, nil, err
	}
	daemons, err := fetch.NewOtherSchemes(web, fetch.OtherSchemesConfig{NewsServer: o.newsServer, DNSServer: o.net.DNSServer})
	if err != nil {
		web.Close()
		return nil, nil, err
	}
	cfg, fetchers := o.crawl, daemons.Fetchers()
	fetchers["http"], fetchers["https"], fetchers["file"] = p.withStdin(web), p.withStdin(web), p.withStdin(&disk.Files{Types: o.crawl.Reading.Types, Preprocessors: o.preprocess})
	if o.schemes != nil {
		cfg.Judging.SkipMail = !slices.Contains(o.schemes, "mailto")
		maps.DeleteFunc(fetchers, func(scheme string, _ fetch.Fetcher) bool { return !slices.Contains(o.schemes, scheme) })
	}
	cfg.Fetch = fetchers
	if o.mailProbe {
		cfg.Judging.MailProbe = daemons
	}
	cfg.Judging.Resolver, cfg.Judging.Inspector, cfg.Keep.Cookies = daemons.Resolver(), inspector, web
	p.place(&cfg)
	cfg.Deliver.Show = engineShow(o.shows())
	cfg.Deliver.Show.OK = cfg.Deliver.Show.OK || o.archive != nil
	cfg.Deliver.Show.Broken = cfg.Deliver.Show.Broken || o.writeClean != "" || o.fix
	cfg.Deliver.Show.Warning = cfg.Deliver.Show.Warning || o.fix
	cfg.Deliver.Show.SkipPageReferences = !out.WantsReferences()
	cfg.Deliver.Show.Info = cfg.Deliver.Show.Info || out.WantsPages() // the links of the site go through its redirects
	cfg.Deliver.Pages = out.WantsPages()
	cfg.Deliver.Stream = out.WantsStream()
	cfg.Reading.ReadAgain = !o.watching
	cfg.Stop = stop
	return &cfg, web, nil
}

// withStdin adds the document on standard input to a fetcher.
func (p *plan) withStdin(other fetch.Fetcher) fetch.Fetcher {
	if p.stdin == nil {
		return other
	}
	first := *p.stdin
	first.Other = other
	return &first
}

func engineShow(s report.Show) result.Show {
	return result.Show{
		OK:         s&report.ShowOK != 0,
		Broken:     s&report.ShowBroken != 0,
		Unverified: s&report.ShowUnverified != 0,
		Skipped:    s&report.ShowSkipped != 0,
		Warning:    s&report.ShowWarning != 0,
		Info:       s&report.ShowInfo != 0,
	}
}
