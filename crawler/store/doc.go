// Package store keeps what crawls know: the targets of one crawl, in memory, in a file or on a
// server, and what runs have observed, for later runs.
//
// [Create] makes the file of a new crawl and [Open] opens it again, so that another process can
// resume or report the crawl:
//
//	file, err := store.Open("docs.state/crawl.sqlite")
//	if err != nil {
//		return err
//	}
//	defer file.Close()
//	cfg.Keep.Store = file.Store() // of a crawler.Config
//
// A crawl without a store is in memory. [Redis] returns a crawl on a server, on which several
// processes work. One coordinates it, and reports it from a file of its own; the others join:
//
//	servers, err := store.ParseAddresses("redis://localhost:6379/0?crawl=docs")
//	if err != nil {
//		return err
//	}
//	crawl := store.Redis(servers, store.RedisOptions{Patience: time.Minute})
//	cfg.Keep.Coordination = &store.Coordination{Crawl: crawl, Process: "main", Version: "1"}
//	// or, in each of the others
//	joined, err := store.Join(ctx, crawl, "worker 1", "1", false)
//	if err != nil {
//		return err
//	}
//	cfg.Keep.Store, cfg.Keep.Lease = joined.Store, joined.Lease
//
// [OpenCache] opens the cache:
//
//	cache, err := store.OpenCache("links.db", store.CacheOptions{})
//	if err != nil {
//		return err
//	}
//	defer cache.Close()
//	cfg.Keep.Cache, cfg.Keep.MaxAge = cache, 24*time.Hour
//
// After a run, [Cache.AddRun] adds the targets that were broken to the history, and
// [Cache.Histories] returns it. Close writes what is pending and removes what is old.
//
//	stores    where a crawl keeps its targets  frontier.go
//	sharing   crawls of several processes      shared.go
//	records   what targets answered            file.go key.go
//	history   which targets were broken when   history.go
//	the file  an SQLite database               open.go schema.go setaside.go
//
// The key of a [Record] is the request with all that may change its answer: the URL, what
// may be sent with it, and the proxy. Passwords, tokens and cookies are not in the file,
// not even as a plain hash: they are stretched with a salt of the file.
//
// # The file of the cache
//
// The format is documented in schema.go and has a version. A file of an older version
// is converted. A damaged or newer one is renamed and never deleted. While no process
// writes, there are no other files next to it, so that it can be copied. All writes are
// in transactions: a killed process or a power failure leaves the state before or after
// one.
package store
