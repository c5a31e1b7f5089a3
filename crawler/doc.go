// Package crawler checks the links of sites: seeds go in, every target is requested once, the
// links of pages are followed, and results leave through a result.Sink.
//
//	client, err := fetch.NewHTTP(fetch.HTTPConfig{})
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	start, _, err := urinorm.ParseWeb("https://example.com/")
//	if err != nil {
//		return err
//	}
//	seeds := []crawler.Seed{{URL: start, Follow: true, Crawl: true}}
//	sink := result.Func(func(r *result.Result) error {
//		fmt.Println(r.Verdict, r.URL, r.Code, len(r.References))
//		return nil
//	})
//	summary, err := crawler.Run(ctx, &crawler.Config{Fetch: client}, seeds, sink)
//	if err != nil {
//		return err // the sink or the store failed; broken links are results
//	}
//	fmt.Println(summary.Broken, "broken targets; reliable:", summary.Soundness.IsSound())
//
// # What a program needs
//
//   - [Config] says what is checked, and how, in groups. The zero value of each group has the
//     defaults of the command line, so that most programs set only Fetch.
//   - A [Seed] says where a run starts, and whether the pages of its site are read. A seed with
//     Named alone is one URL to check.
//   - A [result.Sink] receives a [result.Result] for each target that Config.Deliver.Show selects: broken
//     and unverified ones and those with warnings, unless it says otherwise. A [result.Func] is a
//     Sink for results alone. Package report writes reports.
//   - [Run] returns when everything is checked, with a [result.Summary]. Its Soundness says how far the
//     result can be relied on; no broken links in a run that was cut off mean little.
//
// A directory needs no requests: it answers for the URLs at which it will be published, which may
// be made up.
//
//	site, err := disk.OpenSite(disk.SiteConfig{Dir: "public", Base: base})
//	if err != nil {
//		return err
//	}
//	defer site.Close()
//	start, err := site.URLOf("index.html") // a seed for each file that is a start; Site.Walk lists all
//	cfg := &crawler.Config{Sites: []*disk.Site{site}}
//	cfg.Scope.External = crawler.SkipExternal // or a Fetch, for links to other sites
//
// # The groups of a Config
//
//	Fetch       sends requests: a fetch.HTTP, or a fetch.Mux for other schemes as well
//	Sites       directories that answer instead: disk.OpenSite
//	Scope       which targets are pages to be read, which are only checked, and which left alone
//	Limits      pages, time and bytes
//	Politeness  how many requests, how fast, and how often they are repeated
//	Reading     what is read of documents
//	Judging     what is a finding, and how severe; what is checked besides links
//	Login       signing in: package session
//	Render      pages that scripts make: package crawler/render
//	Keep        the store, so that a run can be resumed, and the cache: package store
//	Deliver     which results, and when
//
// # More than one run
//
// A crawl whose store is in a file (store.Create) can be continued: Run with the same store continues
// where the last one ended. [Report] reports what a store knows and sends no request.
// store.File.Standing says how far it is, and store.File.Finish records that its reports are
// written. Several processes can work on one crawl: see package store.
//
// How the engine works is described in cmd/orbweaver/docs/architecture.md.
package crawler
