// Package crawlertest has servers and a browser for tests.
//
//	site := httptest.NewServer(crawlertest.Generate(1, 1000, 10)) // pages and links, some broken
//
// The parts are:
//
//   - [Generate] makes a site of any size from a seed, with known faults.
//   - [ServeConns] serves any protocol. [ServeNames] is a name server, and [Authority] signs
//     certificates.
//   - [ServeDjango] is a real site that is signed in to with a form.
//   - [ServeRedis] is a server for crawls of several machines.
//   - [StartBrowser] starts a headless Chromium for tests of pages, and [OpenTab] opens a [Tab].
//     A tab fails its test if the page writes to the console, throws an exception, violates its
//     Content-Security-Policy, or sends a request to another place than its own. All waiting is
//     for a condition, with the same long limit.
//   - [Count] and [Long] tell a test its form: short in each run, long in .ci/drills.
package crawlertest
