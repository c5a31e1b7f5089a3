// Package store keeps what runs observe for later runs, in one file: the cache.
//
//	cache, err := store.OpenCache("links.db", store.CacheOptions{})
//	if err != nil {
//		return err
//	}
//	defer cache.Close()
//	cfg.Cache, cfg.MaxAge = cache, 24*time.Hour // of a crawler.Config
//
// After a run, [Cache.AddRun] adds the targets that were broken to the history, and
// [Cache.Histories] returns it. Close writes what is pending and removes what is old.
//
//	records   what targets answered            file.go key.go
//	history   which targets were broken when   history.go
//	the file  an SQLite database               open.go schema.go setaside.go
//
// The key of a [Record] is the request with all that may change its answer: the URL, what
// may be sent with it, and the proxy. Passwords, tokens and cookies are not in the file,
// not even as a plain hash: they are stretched with a salt of the file.
//
// # The file
//
// The format is documented in schema.go and has a version. A file of an older version
// is converted. A damaged or newer one is renamed and never deleted. While no process
// writes, there are no other files next to it, so that it can be copied. All writes are
// in transactions: a killed process or a power failure leaves the state before or after
// one.
package store
