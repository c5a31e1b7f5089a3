// Package fetch sends requests over any URL scheme and returns the answers.
//
//	client, err := fetch.NewHTTP(fetch.HTTPConfig{})
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	answer, err := client.Fetch(ctx, &fetch.Request{URL: u, Need: fetch.Content})
//	if err != nil {
//		return err // a *fetch.Fault says what failed
//	}
//	defer answer.Body.Close()
//
// A [Fetcher] knows nothing about links, verdicts or other requests of the crawl. It
// neither limits the rate of requests to a host nor retries failed requests; the
// frontier and the crawler do. A [Mux] selects the Fetcher by scheme. Package disk
// answers for directories and file: URLs; the crawler asks it before the Mux.
//
//	HTTP          http and https   http.go (configuration), httpfetch.go (the requests of
//	                               one fetch), exchange.go conntrace.go watchedconn.go
//	                               body.go (one request and its answer), then by layer:
//	                               origins.go (who receives secrets), profile.go accounts.go
//	                               netrc.go authentication.go digest.go
//	                               cookies.go cookiegroup.go (headers), decode.go (content codings),
//	                               tls.go aia.go (certificates), transports.go proxy.go
//	                               lenientconn.go
//	                               connectto.go dialer.go resolver.go (connections), ports.go
//	OtherSchemes  other schemes    schemes.go (the table), otherschemes.go (the server),
//	                               session.go boundedconn.go lineconn.go (the connections
//	                               of a request), and one file for each scheme
//	Document      standard input   document.go
//
// recorder.go lets a Recorder see every exchange, with the order of fields from headcapture.go;
// replay.go answers from what was kept.
//
// buffers.go reads bodies into reused memory.
//
// A request that gets no answer yields a [Fault], whose Kind is a code of the report.
// fault.go and locallimit.go classify errors. Every wait, size and count has a limit,
// which is a constant at the top of its file.
package fetch
