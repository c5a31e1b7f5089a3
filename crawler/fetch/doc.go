// Package fetch sends one request by any scheme and says what came back.
//
// A [Fetcher] knows nothing of links, verdicts or other requests of the crawl: it
// never waits for a host's turn and never repeats what failed (the frontier and
// the crawler do). A [Mux] picks the Fetcher by scheme. Directories and file: URLs
// are answered by package disk, which is asked before the Mux for the URLs that a
// directory stands for.
//
//	HTTP      http and https       http.go (a request), asking.go (what is sent, and sent
//	                               again), exchange.go (one request and its body), then
//	                               by layer: profile.go accounts.go netrc.go
//	                               authentication.go digest.go cookies.go (headers),
//	                               decode.go (content codings), tls.go aia.go
//	                               (certificates), transports.go proxy.go connectto.go
//	                               dialer.go resolver.go (connections), ports.go
//	Daemons   other schemes        schemes.go (the table), daemons.go (which server), visit.go
//	                               (a conversation with it), and a file a scheme
//	Document  standard input       document.go
//
// What keeps a request from being answered is a [Fault] whose Kind is a code of
// the contract; fault.go and locallimit.go say which error is which. Every wait,
// size and count has a bound, which stands as a constant at the top of the file it
// belongs to.
package fetch
